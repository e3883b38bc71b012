package reassembly

import (
	"slices"

	"pulsar-dissect/reassembly/segment"
)

// piece is a run of bytes that waits for its turn.
type piece struct {
	offset int64
	data   []byte
	at     Position
	moment
	print segment.Print // of data, 0: not taken yet
	cut   mark          // end of the bytes behind it that the snap length cut off
}

func (p *piece) end() int64 { return p.offset + int64(len(p.data)) }

// trim takes off the first n bytes.
func (p *piece) trim(n int64) { p.offset, p.data, p.print = p.offset+n, p.data[n:], 0 }

// pieceCost is what a piece takes beside its bytes: many small ones must not
// evade the limits.
const pieceCost = 128

func (p *piece) cost() int { return len(p.data) + pieceCost }

// held keeps the bytes of a direction that lie behind a hole: pieces by offset,
// without overlap.
type held struct {
	pieces []*piece
	cost   int    // of all pieces, bytes
	eldest *piece // captured first; nil: to be found
}

func (h *held) any() bool { return len(h.pieces) > 0 }

func (h *held) first() *piece { return h.pieces[0] }

// oldest is the piece that was captured first.
func (h *held) oldest() *piece {
	if h.eldest == nil {
		h.eldest = h.pieces[0]
		for _, p := range h.pieces[1:] {
			if p.at.Order < h.eldest.at.Order {
				h.eldest = p
			}
		}
	}
	return h.eldest
}

func (h *held) takeFirst() *piece {
	p := h.pieces[0]
	h.pieces[0] = nil
	h.pieces = h.pieces[1:]
	h.cost -= p.cost()
	if h.eldest == p {
		h.eldest = nil
	}
	if len(h.pieces) == 0 {
		h.pieces = nil
	}
	return p
}

// reach finds the first piece that ends behind an offset.
func (h *held) reach(offset int64) int {
	i, _ := slices.BinarySearchFunc(h.pieces, offset, func(p *piece, o int64) int {
		if p.end() <= o {
			return -1
		}
		return 1
	})
	return i
}

// cut notes that bytes were cut off behind a piece that is here.
func (h *held) cut(x *piece) {
	if i := h.reach(x.offset) - 1; i >= 0 && max(h.pieces[i].end(), h.pieces[i].cut.offset) >= x.offset {
		h.pieces[i].cutTo(x.cut)
	}
}

func (p *piece) cutTo(m mark) {
	if m.offset > max(p.end(), p.cut.offset) {
		p.cut = m
	}
}

func (h *held) last() *piece { return h.pieces[len(h.pieces)-1] }

func (h *held) takeLast() {
	p := h.last()
	h.pieces[len(h.pieces)-1] = nil
	h.pieces = h.pieces[:len(h.pieces)-1]
	h.cost -= p.cost()
	if h.eldest == p {
		h.eldest = nil
	}
}

// put keeps the parts of x that fill holes, as they are: who gives borrowed
// bytes gets the kept pieces back to copy theirs. It reports the part that
// contradicts what is there (at, bytes).
func (h *held) put(x piece) (kept []*piece, at, bytes int64) {
	for i := h.reach(x.offset); len(x.data) > 0; i++ {
		n := int64(len(x.data))
		if i < len(h.pieces) && h.pieces[i].offset <= x.offset {
			n = min(n, h.pieces[i].end()-x.offset)
			if bytes == 0 && !h.pieces[i].agrees(x.offset, x.data[:n]) {
				at, bytes = x.offset, n
			}
		} else {
			if i < len(h.pieces) {
				n = min(n, h.pieces[i].offset-x.offset)
			}
			kept = append(kept, h.insert(i, x, n))
		}
		x.offset, x.data = x.offset+n, x.data[n:]
		if len(x.data) == 0 {
			h.pieces[i].cutTo(x.cut)
		}
	}
	return kept, at, bytes
}

// agrees says whether the piece has the same bytes from an offset on.
func (p *piece) agrees(offset int64, data []byte) bool {
	from := offset - p.offset
	return string(p.data[from:from+int64(len(data))]) == string(data)
}

// insert keeps the first n bytes of x as the piece i.
func (h *held) insert(i int, x piece, n int64) *piece {
	p := &piece{offset: x.offset, data: x.data[:n:n], at: x.at, moment: x.moment}
	if e := h.eldest; len(h.pieces) == 0 || e != nil && p.at.Order < e.at.Order {
		h.eldest = p
	}
	h.pieces = slices.Insert(h.pieces, i, p)
	h.cost += p.cost()
	return p
}
