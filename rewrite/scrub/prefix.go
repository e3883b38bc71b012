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
			mask(b)
			return
		}
		f, wireType := t.Field(int32(min(tag>>3, 1<<20))), uint8(tag&7)
		if b = b[n:]; wireType == wire.Len {
			b = s.prefixValue(b, t, f)
			continue
		}
		size := skipped(b, wireType)
		if size < 0 {
			mask(b)
			return
		}
		b = b[min(size, len(b)):]
	}
}

// skipped is the size of a value that is a number, -1 where there can be none.
func skipped(b []byte, wireType uint8) int {
	switch wireType {
	case wire.Varint:
		if _, n := binary.Uvarint(b); n >= 0 {
			return max(n, 1)
		}
	case wire.Fixed64:
		return 8
	case wire.Fixed32:
		return 4
	}
	return -1
}

// prefixValue replaces a value with its length ahead, and gives what follows.
func (s *Streams) prefixValue(b []byte, t *wire.Table, f *wire.Field) (rest []byte) {
	size, n := binary.Uvarint(b)
	if n <= 0 {
		mask(b[min(1, len(b)):])
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
