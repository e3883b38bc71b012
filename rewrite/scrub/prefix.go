package scrub

import (
	"encoding/binary"

	"pulsar-dissect/decode/wire"
)

// prefix replaces the values in the beginning of a message that was not captured
// whole, or cannot be walked; what of a value is there is overwritten.
func (s *Streams) prefix(b []byte, t *wire.Table) {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			maskNumber(b)
			return
		}
		f, wireType := t.Field(int32(min(tag>>3, 1<<20))), uint8(tag&7)
		if b = b[n:]; wireType == wire.Len {
			b = s.prefixValue(b, t, f)
			continue
		}
		size, ok := skipped(b, wireType)
		switch {
		case ok:
			b = b[min(size, len(b)):]
		case wireType == wire.Varint:
			maskNumber(b)
			return
		default:
			mask(b)
			return
		}
	}
}

// maskNumber overwrites a number that is too long, or does not end in b, and what
// follows it: it stays so.
func maskNumber(b []byte) {
	number := b[:min(len(b), binary.MaxVarintLen64)]
	mask(b[len(number):])
	for i, c := range number {
		number[i] = masked | c&goesOn
	}
}

// goesOn is set in a byte of a number that another follows.
const goesOn = 0x80

// skipped is the size of a value that is a number; there may be less of it.
func skipped(b []byte, wireType uint8) (size int, ok bool) {
	switch wireType {
	case wire.Varint:
		_, n := binary.Uvarint(b)
		return n, n > 0
	case wire.Fixed64:
		return 8, true
	case wire.Fixed32:
		return 4, true
	}
	return 0, false
}

// prefixValue replaces a value with its length ahead, and gives what follows.
func (s *Streams) prefixValue(b []byte, t *wire.Table, f *wire.Field) (rest []byte) {
	size, n := binary.Uvarint(b)
	if n <= 0 {
		maskNumber(b)
		return nil
	}
	value := b[n:]
	whole := size <= uint64(len(value))
	if whole {
		value, rest = value[:size], value[size:]
	}
	switch {
	case f != nil && f.Kind == wire.Message:
		s.prefix(value, f.Message)
	case f != nil && whole && f.WireType == wire.Len:
		s.value(value, actionOf(t.Name, f))
	default:
		mask(value)
	}
	return rest
}
