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
// byte padded with 0. It adds 8 bytes at a time in the machine's likely
// byte order and swaps at the end, which RFC 1071 section 2 (B) allows.
func sum(b []byte) uint16 {
	var s, c uint64
	for len(b) >= 64 {
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
		b = b[64:]
	}
	for len(b) >= 8 {
		s, c = bits.Add64(s, binary.LittleEndian.Uint64(b), 0)
		s += c
		b = b[8:]
	}
	if len(b) > 0 {
		var last [8]byte
		copy(last[:], b)
		s, c = bits.Add64(s, binary.LittleEndian.Uint64(last[:]), 0)
		s += c
	}
	return bits.ReverseBytes16(fold(s))
}
