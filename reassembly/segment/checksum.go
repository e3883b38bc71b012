package segment

import (
	"encoding/binary"
	"math/bits"
)

const checksumAt = 16 // offset in the TCP header, bytes

// verify judges the checksum of a segment of so many bytes on the wire, whose
// addresses are in out.
//
// What offloading leaves is looked for first, as it costs nothing: the sum of
// the pseudo header, with its length or (for TSO) without, or 0. A right checksum
// equals one of them by chance 3 times in 65,536, and is called Partial then.
//
// Above 64 KiB the 16 bits of IPv4's pseudo header do not hold the length (BIG
// TCP): the kernel sums all of it, others its low half. Only a partial sum can
// be there.
func verify(segment []byte, length int, out *Segment) Checksum {
	if len(segment) != length {
		return Unknown
	}
	have := binary.BigEndian.Uint16(segment[checksumAt:])
	pseudo := addressSum(&out.Source.Addr, &out.Destination.Addr) + protocolTCP
	sized := pseudo + uint64(length)
	if have == 0 || have == fold(pseudo) || have == fold(sized) {
		return Partial
	}
	if length > 0xffff && have == fold(pseudo+uint64(length&0xffff)) {
		return Partial
	}
	if fold(sized+uint64(sum(segment))) == 0xffff {
		return Right
	}
	return Wrong
}

// addressSum adds up two addresses. The ffff of mapped IPv4 addresses needs no
// care: in one's complement it is another zero.
func addressSum(a, b *[16]byte) uint64 {
	s, c := bits.Add64(binary.BigEndian.Uint64(a[:]), binary.BigEndian.Uint64(a[8:]), 0)
	s, c = bits.Add64(s, binary.BigEndian.Uint64(b[:]), c)
	s, c = bits.Add64(s, binary.BigEndian.Uint64(b[8:]), c)
	s, c = bits.Add64(s, 0, c)
	return uint64(fold(s + c))
}

// fold brings a sum of 16-bit words down to 16 bits, end-around carry
// included (RFC 1071). It is 0 only for 0.
func fold(s uint64) uint16 {
	s = s>>32 + s&0xffffffff
	s = s>>32 + s&0xffffffff
	s = s>>16 + s&0xffff
	s = s>>16 + s&0xffff
	return uint16(s>>16 + s)
}

// sum is the one's complement sum of b as big-endian 16-bit words, an odd last
// byte padded with 0. It adds words of 8 bytes in the order that most machines
// load them, and swaps at the end, which RFC 1071 section 2 (B) allows.
func sum(b []byte) uint16 {
	s, rest := sumBlocks(b)
	for len(rest) >= 8 {
		s = addCarry(s, binary.LittleEndian.Uint64(rest))
		rest = rest[8:]
	}
	return bits.ReverseBytes16(fold(addCarry(s, tail(rest))))
}

// sumBlocks adds what there is in blocks of 128 bytes. Two chains of carries do
// not wait for each other.
func sumBlocks(b []byte) (uint64, []byte) {
	var s, t, c uint64
	for len(b) >= 128 {
		s, c = bits.Add64(s, binary.LittleEndian.Uint64(b[0:8]), 0)
		s, c = bits.Add64(s, binary.LittleEndian.Uint64(b[8:16]), c)
		s, c = bits.Add64(s, binary.LittleEndian.Uint64(b[16:24]), c)
		s, c = bits.Add64(s, binary.LittleEndian.Uint64(b[24:32]), c)
		s, c = bits.Add64(s, binary.LittleEndian.Uint64(b[32:40]), c)
		s, c = bits.Add64(s, binary.LittleEndian.Uint64(b[40:48]), c)
		s, c = bits.Add64(s, binary.LittleEndian.Uint64(b[48:56]), c)
		s, c = bits.Add64(s, binary.LittleEndian.Uint64(b[56:64]), c)
		s, c = bits.Add64(s, 0, c)
		s += c
		t, c = bits.Add64(t, binary.LittleEndian.Uint64(b[64:72]), 0)
		t, c = bits.Add64(t, binary.LittleEndian.Uint64(b[72:80]), c)
		t, c = bits.Add64(t, binary.LittleEndian.Uint64(b[80:88]), c)
		t, c = bits.Add64(t, binary.LittleEndian.Uint64(b[88:96]), c)
		t, c = bits.Add64(t, binary.LittleEndian.Uint64(b[96:104]), c)
		t, c = bits.Add64(t, binary.LittleEndian.Uint64(b[104:112]), c)
		t, c = bits.Add64(t, binary.LittleEndian.Uint64(b[112:120]), c)
		t, c = bits.Add64(t, binary.LittleEndian.Uint64(b[120:128]), c)
		t, c = bits.Add64(t, 0, c)
		t += c
		b = b[128:]
	}
	return addCarry(s, t), b
}

// addCarry adds with end-around carry.
func addCarry(a, b uint64) uint64 {
	s, c := bits.Add64(a, b, 0)
	return s + c
}

// tail has up to 7 bytes as the beginning of a little-endian word.
func tail(b []byte) (word uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		word = word<<8 | uint64(b[i])
	}
	return word
}
