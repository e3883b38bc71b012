package decrypt

// buffers are buffers for records between two uses.
type buffers struct{ free [][]byte }

// Limits of what is kept.
const (
	keptBuffers   = 16
	smallestSpare = 4 << 10 // bytes of one
	largestSpare  = 2 * longestRecord
)

// get gives an empty buffer, nil if none is free.
func (p *buffers) get() []byte {
	n := len(p.free)
	if n == 0 {
		return nil
	}
	b := p.free[n-1]
	p.free = p.free[:n-1]
	return b
}

func (p *buffers) put(b []byte) {
	if cap(b) >= smallestSpare && cap(b) <= largestSpare && len(p.free) < keptBuffers {
		p.free = append(p.free, b[:0])
	}
}
