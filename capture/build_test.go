package capture

import (
	"encoding/binary"
	"math"
)

// fileBuilder makes capture files byte by byte, also ones that no tool writes.
type fileBuilder struct {
	order binary.AppendByteOrder
	b     []byte
}

func (f *fileBuilder) u16(v ...uint16) *fileBuilder {
	for _, v := range v {
		f.b = f.order.AppendUint16(f.b, v)
	}
	return f
}

func (f *fileBuilder) u32(v ...uint32) *fileBuilder {
	for _, v := range v {
		f.b = f.order.AppendUint32(f.b, v)
	}
	return f
}

func (f *fileBuilder) bytes(b ...byte) *fileBuilder {
	f.b = append(f.b, b...)
	return f
}

// pcapHeader begins a pcap file.
func (f *fileBuilder) pcapHeader(magic, snap, link uint32) *fileBuilder {
	return f.u32(magic).u16(2, 4).u32(0, 0, snap, link)
}

// record adds a packet whose data and length on the wire are as given.
func (f *fileBuilder) record(second, fraction uint32, data []byte, original int) *fileBuilder {
	return f.u32(second, fraction, uint32(len(data)), uint32(original)).bytes(data...)
}

// option is an option of a pcapng block.
type option struct {
	code  uint16
	value []byte
}

// options adds options and the one that ends them.
func (f *fileBuilder) options(options ...option) *fileBuilder {
	for _, o := range options {
		f.u16(o.code, uint16(len(o.value))).bytes(o.value...).pad(len(o.value))
	}
	if len(options) > 0 {
		f.u16(0, 0)
	}
	return f
}

// pad brings n bytes just added to a multiple of 4.
func (f *fileBuilder) pad(n int) *fileBuilder { return f.bytes(make([]byte, -n&3)...) }

// block adds a pcapng block; body adds what is in it.
func (f *fileBuilder) block(kind uint32, body func()) *fileBuilder {
	f.u32(kind, 0)
	start := len(f.b)
	body()
	length := uint32(len(f.b) - start + 12)
	f.u32(length)
	copy(f.b[start-4:start], f.b[len(f.b)-4:])
	return f
}

func (f *fileBuilder) section() *fileBuilder { return f.sectionOf(1) }

func (f *fileBuilder) sectionOf(major uint16) *fileBuilder {
	return f.block(0x0a0d0d0a, func() { f.u32(0x1a2b3c4d).u16(major, 0).u32(math.MaxUint32, math.MaxUint32) })
}

func (f *fileBuilder) iface(link uint16, snap uint32, o ...option) *fileBuilder {
	return f.block(1, func() { f.u16(link, 0).u32(snap).options(o...) })
}

func (f *fileBuilder) epb(id uint32, units uint64, data []byte, original int) *fileBuilder {
	return f.block(6, func() {
		f.u32(id, uint32(units>>32), uint32(units), uint32(len(data)), uint32(original)).bytes(data...).pad(len(data))
	})
}

func (f *fileBuilder) spb(data []byte, original int) *fileBuilder {
	return f.block(3, func() { f.u32(uint32(original)).bytes(data...).pad(len(data)) })
}

// firstSecond is the time of the packets of pcapBytes and pcapngBytes, which
// come a ms apart.
const firstSecond = 1_700_000_000

// pcapBytes is a little-endian pcap file of packets of one size; the first bytes
// of each are its number from 0.
func pcapBytes(packets, size int) []byte {
	f := &fileBuilder{order: binary.LittleEndian}
	f.pcapHeader(0xa1b2c3d4, 262144, 1)
	for i := range packets {
		f.record(firstSecond+uint32(i/1000), uint32(i%1000*1000), numbered(i, size), size)
	}
	return f.b
}

// pcapngBytes is the same as pcapng.
func pcapngBytes(packets, size int) []byte {
	f := &fileBuilder{order: binary.LittleEndian}
	f.section().iface(1, 0)
	for i := range packets {
		f.epb(0, firstSecond*1e6+uint64(i)*1000, numbered(i, size), size)
	}
	return f.b
}

func numbered(i, size int) []byte {
	data := make([]byte, size)
	for j := range data {
		data[j] = byte(j)
	}
	copy(data, binary.BigEndian.AppendUint32(nil, uint32(i)))
	return data
}
