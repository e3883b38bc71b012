package wire

// label is the beginning of a member, ,"name":, in the first size bytes of head,
// or in long if it does not fit there.
type label struct {
	head [32]byte
	size int
	long []byte
}

func makeLabel(name string) label {
	l := label{long: []byte(`,"` + name + `":`)}
	l.size = copy(l.head[:], l.long)
	return l
}

// append appends the label: in one move of fixed size where it can, which
// takes a third of the time of a move by length.
func (l *label) append(dst []byte) []byte {
	n := len(dst)
	if cap(dst)-n < len(l.head) || len(l.long) > len(l.head) {
		return append(dst, l.long...)
	}
	*(*[32]byte)(dst[n : n+32]) = l.head
	return dst[:n+l.size]
}
