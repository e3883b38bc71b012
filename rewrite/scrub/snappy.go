package scrub

import (
	"bytes"
	"encoding/binary"
)

// The heads of literals (Snappy's format description, section 2.1): lengths up to
// inTag are in the tag, larger ones in up to 4 bytes behind it.
const (
	inTag       = 60
	longestHead = 5
)

// lengthenSnappy takes bytes off the first literal and has each stand as a literal
// of its own, whose head is as long as is needed.
func lengthenSnappy(b []byte, by int, _ []byte) []byte {
	if by == 0 {
		return b
	}
	_, n := binary.Uvarint(b)
	if n <= 0 || n >= len(b) || b[n]&3 != 0 {
		return nil
	}
	length, head := snappyLiteral(b[n:])
	literal, rest := b[n+head:n+head+length], b[n+head+length:]
	out := bytes.Clone(b[:n])
	for by > 0 && len(literal) > 1 {
		size := min(longestHead, by)
		out = append(appendSnappyHead(out, 1, size), literal[0])
		literal, by = literal[1:], by-size
	}
	if by > 0 {
		return nil
	}
	return append(append(appendSnappyHead(out, len(literal), head), literal...), rest...)
}

// snappyLiteral reads the head of a literal.
func snappyLiteral(b []byte) (length, head int) {
	more := int(b[0]>>2) - inTag + 1
	if more <= 0 {
		return int(b[0]>>2) + 1, 1
	}
	var le [4]byte
	copy(le[:], b[1:1+more])
	return int(binary.LittleEndian.Uint32(le[:])) + 1, 1 + more
}

// appendSnappyHead appends the head of a literal, of so many bytes.
func appendSnappyHead(out []byte, length, head int) []byte {
	if head == 1 {
		return append(out, byte(length-1)<<2)
	}
	le := binary.LittleEndian.AppendUint32(nil, uint32(length-1))
	return append(append(out, byte(inTag-2+head)<<2), le[:head-1]...)
}
