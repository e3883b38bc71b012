package reassembly

import (
	"hash/crc32"
	"slices"
)

// farAway is the distance in sequence numbers, in bytes, beyond which a
// segment cannot belong to the stream at hand: no window is that large.
const farAway = 1 << 24

// recentPieces is how many released segments are remembered by checksum, so
// that a retransmission with other bytes is noticed.
const recentPieces = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// half is one direction of a connection. Offsets are those of the stream.
type half struct {
	isnKnown bool
	isn      uint32
	based    bool   // origin is known
	origin   uint32 // sequence number of offset 0
	next     int64  // offset of the next byte to release
	top      int64  // highest offset seen, the reference for unwrapping sequence numbers
	acked    int64  // highest offset that the peer acknowledged
	ackSeen  bool   // ackRaw is set, while the origin is not known
	ackRaw   uint32
	fin      int64 // offset of the FIN, or -1

	trusted uint64 // segments with a right checksum
	likely  uint64 // segments whose checksum was left to the card or is not known

	held      []piece // behind a hole, by offset, without overlap
	heldBytes int
	spare     []piece // wrong checksums, for holes that nothing else fills
	heldTime  int64   // packet time when the oldest hole opened, ns
	cutting   bool    // bytes are being released behind which the snap length cut some off
	lost      bool    // the peer acknowledged bytes that were not captured so far
	lostTime  int64   // packet time when that was noticed, ns
	lostCount uint64  // packets of the connection by then

	recent *[recentPieces]released
	oldest uint8 // index in recent that is overwritten next
}

// piece is a run of bytes that waits for its turn.
type piece struct {
	offset int64
	data   []byte
	cut    int64 // bytes behind it that the snap length cut off
	at     Position
}

func (p *piece) end() int64 { return p.offset + int64(len(p.data)) }

// released remembers bytes that have been given out.
type released struct {
	offset int64
	length int
	sum    uint32
}

// lostTo is the end of the bytes that the peer acknowledged and that were not
// captured so far; next if there are none. One byte beyond all may be a FIN
// that was not captured.
func (h *half) lostTo() int64 {
	switch {
	case len(h.held) > 0:
		return min(h.acked, h.held[0].offset)
	case h.fin >= 0:
		return min(h.acked, h.fin)
	case h.acked == h.next+1:
		return h.next
	}
	return h.acked
}

// setOrigin fixes offset 0 at a sequence number.
func (h *half) setOrigin(sequence uint32) {
	h.based, h.origin = true, sequence
	if h.ackSeen {
		h.acked = int64(int32(h.ackRaw - sequence))
	}
}

// offset unwraps a sequence number (RFC 9293, section 3.4) near the highest
// one seen.
func (h *half) offset(sequence uint32) int64 {
	return h.top + int64(int32(sequence-h.origin-uint32(h.top)))
}

// acknowledge notes the peer's acknowledgement number and says whether it is
// news.
func (h *half) acknowledge(sequence uint32) bool {
	if !h.based {
		h.ackSeen, h.ackRaw = true, sequence
		return false
	}
	a := h.offset(sequence)
	if a <= h.acked {
		return false
	}
	h.acked = a
	return true
}

// heldSince is the least order among the bytes that may still be released:
// those behind a hole, and where the peer has more than was captured, those
// with wrong checksums that may have to do.
func (h *half) heldSince() (least uint64, ok bool) {
	waiting := [2][]piece{h.held}
	if h.lost {
		waiting[1] = h.spare
	}
	for _, pieces := range waiting {
		for i := range pieces {
			if o := pieces[i].at.Order; !ok || o < least {
				least, ok = o, true
			}
		}
	}
	return least, ok
}

// remember keeps the checksum of released bytes.
func (h *half) remember(offset int64, data []byte) {
	if h.recent == nil {
		h.recent = new([recentPieces]released)
	}
	h.recent[h.oldest] = released{offset, len(data), crc32.Checksum(data, castagnoli)}
	h.oldest = (h.oldest + 1) % recentPieces
}

// contradicts counts the bytes of data that differ from what was released
// before, as far as that is remembered: where data holds a whole released
// piece again.
func (h *half) contradicts(offset int64, data []byte) (at, bytes int64) {
	if h.recent == nil {
		return 0, 0
	}
	for _, r := range h.recent {
		from := r.offset - offset
		if r.length == 0 || from < 0 || from+int64(r.length) > int64(len(data)) {
			continue
		}
		if crc32.Checksum(data[from:from+int64(r.length)], castagnoli) != r.sum {
			return r.offset, int64(r.length)
		}
	}
	return 0, 0
}

// hold keeps the parts of data that fill holes among the held pieces, and
// reports the part that contradicts one of them (at, bytes) and how many bytes
// were new.
func (h *half) hold(offset int64, data []byte, cut int64, at Position, copied func([]byte) []byte) (added int, conflictAt, conflict int64) {
	i, _ := slices.BinarySearchFunc(h.held, offset, func(p piece, o int64) int {
		if p.end() <= o {
			return -1
		}
		return 1
	})
	for len(data) > 0 {
		if i < len(h.held) && h.held[i].offset <= offset {
			n := min(h.held[i].end()-offset, int64(len(data)))
			from := offset - h.held[i].offset
			if conflict == 0 && string(h.held[i].data[from:from+n]) != string(data[:n]) {
				conflictAt, conflict = offset, n
			}
			offset, data = offset+n, data[n:]
			i++
			continue
		}
		n := int64(len(data))
		if i < len(h.held) {
			n = min(n, h.held[i].offset-offset)
		}
		p := piece{offset: offset, data: copied(data[:n]), at: at}
		if n == int64(len(data)) {
			p.cut = cut
		}
		h.held = slices.Insert(h.held, i, p)
		h.heldBytes += int(n)
		added += int(n)
		offset, data = offset+n, data[n:]
		i++
	}
	return added, conflictAt, conflict
}

// takeSpare moves what segments with wrong checksums have for the hole
// [from, to) to the held pieces.
func (h *half) takeSpare(from, to int64) {
	keep := h.spare[:0]
	for _, p := range h.spare {
		lo, hi := max(p.offset, from), min(p.end(), to)
		if lo < hi {
			h.hold(lo, p.data[lo-p.offset:hi-p.offset], 0, p.at, func(b []byte) []byte { return b })
		}
		if p.end() > to {
			keep = append(keep, p)
		}
	}
	clear(h.spare[len(keep):])
	h.spare = keep
}
