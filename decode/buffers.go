package decode

// buffers are the buffers of all streams between two uses: frames are put
// together in one after another, and a fresh buffer each would cost more than
// the frame itself (a third of the time on 100 KiB frames).
type buffers struct {
	free  [][]byte
	bytes int // capacity of all free ones
	spans [][]span
}

// Limits of what is kept.
const (
	spareBuffers = 32
	spareBytes   = 16 << 20
	spareSpans   = 1 << 12 // in one list of spans
)

// grow gives a buffer with the bytes of b and room for n, if possible for the
// likely size, and takes b back. Where none is free it grows by doubling, so
// that a size which a frame merely states allocates nothing.
func (p *buffers) grow(b []byte, n, likely int) []byte {
	best := -1
	for i, f := range p.free {
		if cap(f) >= n && (best < 0 || better(cap(f), cap(p.free[best]), likely)) {
			best = i
		}
	}
	if best < 0 {
		return p.moved(b, make([]byte, 0, max(n, 2*cap(b))))
	}
	f := p.free[best]
	last := len(p.free) - 1
	p.free[best], p.free[last] = p.free[last], nil
	p.free = p.free[:last]
	p.bytes -= cap(f)
	return p.moved(b, f)
}

// better says whether capacity a suits the wanted one more than b does: the
// smallest that suffices, else the largest.
func better(a, b, wanted int) bool {
	if a >= wanted && b >= wanted {
		return a < b
	}
	return a > b
}

func (p *buffers) moved(from, to []byte) []byte {
	to = append(to[:0], from...)
	p.put(from)
	return to
}

// put takes a buffer back that is not used any more.
func (p *buffers) put(b []byte) {
	if cap(b) > keptBuffer && p.bytes+cap(b) <= spareBytes && len(p.free) < spareBuffers {
		p.free = append(p.free, b[:0])
		p.bytes += cap(b)
	}
}

// takeSpans gives an empty list of spans: where many connections came, growing
// one for each stream took 7% of the time on 100 KiB frames in 1,448-byte
// segments.
func (p *buffers) takeSpans() (list []span) {
	if last := len(p.spans) - 1; last >= 0 {
		list, p.spans = p.spans[last], p.spans[:last]
	}
	return list
}

// putSpans takes a list of spans back that is not used any more.
func (p *buffers) putSpans(list []span) {
	if cap(list) <= spareSpans && len(p.spans) < spareBuffers {
		p.spans = append(p.spans, list[:0])
	}
}
