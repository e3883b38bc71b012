package decode

// buffers are large buffers between two uses: frames above keptBuffer are put
// together in one after another, and a fresh buffer each would cost more than
// the frame itself (a third of the time on 100 KiB frames).
type buffers struct{ free [][]byte }

// Limits of what is kept.
const (
	keptBuffers  = 4
	largestSpare = 8 << 20 // bytes of one
)

// grow gives a buffer with the bytes of b and room for n, and takes b back.
// Where none is free it grows by doubling, so that a size which a frame merely
// states allocates nothing.
func (p *buffers) grow(b []byte, n int) []byte {
	for i, f := range p.free {
		if cap(f) >= n {
			p.free[i] = p.free[len(p.free)-1]
			p.free = p.free[:len(p.free)-1]
			return p.moved(b, f)
		}
	}
	return p.moved(b, make([]byte, 0, max(n, 2*cap(b))))
}

func (p *buffers) moved(from, to []byte) []byte {
	to = append(to[:0], from...)
	p.put(from)
	return to
}

func (p *buffers) put(b []byte) {
	if cap(b) > keptBuffer && cap(b) <= largestSpare && len(p.free) < keptBuffers {
		p.free = append(p.free, b[:0])
	}
}
