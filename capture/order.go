package capture

import (
	"encoding/binary"
	"math/bits"
)

// byteOrder is that of the machine that wrote the file. A bool and a swap cost
// less per packet than the interface of encoding/binary.
type byteOrder bool

const (
	littleEndian byteOrder = false
	bigEndian    byteOrder = true
)

func (o byteOrder) u16(b []byte) uint16 {
	v := binary.LittleEndian.Uint16(b)
	if o == bigEndian {
		v = bits.ReverseBytes16(v)
	}
	return v
}

func (o byteOrder) u32(b []byte) uint32 {
	v := binary.LittleEndian.Uint32(b)
	if o == bigEndian {
		v = bits.ReverseBytes32(v)
	}
	return v
}

func (o byteOrder) u64(b []byte) uint64 {
	v := binary.LittleEndian.Uint64(b)
	if o == bigEndian {
		v = bits.ReverseBytes64(v)
	}
	return v
}
