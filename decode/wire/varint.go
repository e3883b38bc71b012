package wire

// maxVarint is the most bytes that a varint takes.
const maxVarint = 10

// uvarint reads the varint at b[p:] and returns it with the position behind
// it, or -1 where there is none. Bits beyond the 64th are dropped, as most
// readers do.
func uvarint(b []byte, p int) (uint64, int) {
	if p < len(b) && b[p] < 0x80 {
		return uint64(b[p]), p + 1
	}
	return longVarint(b, p)
}

func longVarint(b []byte, p int) (v uint64, next int) {
	stop := min(len(b), p+maxVarint)
	for shift := 0; p < stop; shift += 7 {
		c := b[p]
		p++
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v, p
		}
	}
	return 0, -1
}

// varintError says why there is no varint at b[p:].
func varintError(b []byte, p int) *Error {
	if len(b)-p < maxVarint {
		return &Error{p, ShortVarint}
	}
	return &Error{p, LongVarint}
}
