package segment

import "sort"

const unknownEnd = -1

// datagram is an IP packet of which fragments have come.
type datagram struct {
	key      fragmentKey
	first    int64   // time of the first fragment, ns
	bytes    []byte  // of the fragments, in order of arrival
	pieces   []piece // in order of offset, none overlapping
	end      int     // bytes of the whole payload, told by the last fragment
	protocol uint8   // told by the first fragment
}

// piece is size bytes of the packet's payload from offset on, kept at d.bytes[at:].
type piece struct{ offset, at, size int }

func (p piece) end() int { return p.offset + p.size }

// pieceCost is what a piece takes besides its bytes: many small fragments must
// not slip under the limit.
const pieceCost = 24

// cost is the memory held, bytes.
func (d *datagram) cost() int { return len(d.bytes) + len(d.pieces)*pieceCost }

// insert keeps a copy of those bytes of a fragment that none before it had. Of
// several ends, or protocols, the first is kept, too.
func (d *datagram) insert(offset int, more bool, body *payload) {
	if offset == 0 && (len(d.pieces) == 0 || d.pieces[0].offset > 0) {
		d.protocol = body.protocol
	}
	if !more && d.end == unknownEnd {
		d.end = offset + body.length
	}
	d.keep(offset, body.data)
}

func (d *datagram) keep(offset int, data []byte) {
	i := sort.Search(len(d.pieces), func(i int) bool { return d.pieces[i].end() > offset })
	for len(data) > 0 {
		gap := len(data)
		if i < len(d.pieces) {
			gap = min(gap, d.pieces[i].offset-offset)
		}
		if gap > 0 {
			d.add(i, offset, data[:gap])
			offset, data = offset+gap, data[gap:]
		} else {
			covered := min(len(data), d.pieces[i].end()-offset)
			offset, data = offset+covered, data[covered:]
		}
		i++
	}
}

func (d *datagram) add(i, offset int, data []byte) {
	d.pieces = append(d.pieces, piece{})
	copy(d.pieces[i+1:], d.pieces[i:])
	d.pieces[i] = piece{offset, len(d.bytes), len(data)}
	d.bytes = append(d.bytes, data...)
}

func (d *datagram) complete() bool {
	if d.end == unknownEnd || len(d.bytes) < d.end {
		return false
	}
	at := 0
	for _, p := range d.pieces {
		if p.offset > at {
			break
		}
		at = p.end()
	}
	return at >= d.end
}

// assemble appends the payload to buffer.
func (d *datagram) assemble(buffer []byte) []byte {
	for _, p := range d.pieces {
		buffer = append(buffer, d.bytes[p.at:p.at+p.size]...)
	}
	return buffer[:d.end]
}
