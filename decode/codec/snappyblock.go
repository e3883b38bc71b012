package codec

import "encoding/binary"

// checkSnappy tells whether src is a block (Snappy format description) of size
// bytes, without producing anything: to tell damage from a wrong size, and to
// prove a size before memory is reserved for it.
func checkSnappy(src []byte, size int) error {
	stated, n := binary.Uvarint(src)
	if n <= 0 || stated > 1<<32-1 {
		return corrupt(Snappy, "the length at its start is not one")
	}
	out := 0
	for at := n; at < len(src); {
		e, ok := snappyElementAt(src[at:])
		if !ok || e.offset > out || e.copies && e.offset == 0 {
			return corrupt(Snappy, "no sound element at byte %d", at)
		}
		at += e.bytes
		out += e.plain
	}
	if uint64(out) != stated {
		return corrupt(Snappy, "the block states %d bytes, its elements make %d", stated, out)
	}
	if out != size {
		return mismatch(size, out)
	}
	return nil
}

// snappyElement is a literal or a copy.
type snappyElement struct {
	bytes  int // its size in the block
	plain  int // bytes it makes
	copies bool
	offset int // bytes back, for a copy
}

// snappyElementAt reads the element at the start of b, which is not empty; ok
// is false where it is cut. The low two bits of the tag are its type.
func snappyElementAt(b []byte) (e snappyElement, ok bool) {
	switch b[0] & 3 {
	case 0:
		return snappyLiteral(b)
	case 1:
		e = snappyElement{bytes: 2, plain: int(b[0]>>2&7) + 4, offset: int(b[0]&0xe0) << 3}
	case 2:
		e = snappyElement{bytes: 3, plain: int(b[0]>>2) + 1}
	case 3:
		e = snappyElement{bytes: 5, plain: int(b[0]>>2) + 1}
	}
	if e.bytes > len(b) {
		return e, false
	}
	e.copies = true
	e.offset |= littleEndian(b[1:e.bytes])
	return e, true
}

// snappyLiteral: the upper six bits are the length less one, or from 60 on how
// many bytes of length follow.
func snappyLiteral(b []byte) (e snappyElement, ok bool) {
	length, head := int(b[0]>>2), 1
	if length >= 60 {
		head += length - 59
		if head > len(b) {
			return e, false
		}
		length = littleEndian(b[1:head])
	}
	e = snappyElement{bytes: head + length + 1, plain: length + 1}
	return e, e.bytes <= len(b)
}

// littleEndian is the number in one to four bytes.
func littleEndian(b []byte) (n int) {
	for i, v := range b {
		n |= int(v) << (8 * i)
	}
	return n
}
