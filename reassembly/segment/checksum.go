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
	out.Print = 0
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
	header, _ := sum(segment[:length-out.Length])
	var data uint16
	if data, out.Print = sum(out.Data); fold(sized+uint64(header)+uint64(data)) == 0xffff {
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

// Print is a fingerprint of bytes, 0 where none was taken. Bytes that differ have
// equal ones with a chance of 2^-64 or so, unless they were made to: words of 8
// bytes within a block of 128 may change places. It comes from the sum of the
// checksum, since a second pass over all bytes (CRC32-C) took an eighth of the
// time of a capture of large segments.
type Print uint64

// PrintOf is the fingerprint of b.
func PrintOf(b []byte) Print {
	_, p := sum(b)
	return p
}

// printFactor spreads what is multiplied with it: 2^64 over the golden ratio.
const printFactor = 0x9e3779b97f4a7c15

// sum is the one's complement sum of b as big-endian 16-bit words, an odd last
// byte padded with 0, and its fingerprint. It adds words of 8 bytes in the order
// that most machines load them, and swaps at the end, which RFC 1071 section 2
// (B) allows.
func sum(b []byte) (uint16, Print) {
	s, print, rest := sumBlocks(b)
	for len(rest) >= 8 {
		word := binary.LittleEndian.Uint64(rest)
		s, print = addCarry(s, word), bits.RotateLeft64(print, 9)+word
		rest = rest[8:]
	}
	word := tail(rest)
	print = (print ^ word ^ uint64(len(b))<<56) * printFactor
	return bits.ReverseBytes16(fold(addCarry(s, word))), Print(print ^ print>>32)
}

// sumBlocks adds what there is in blocks of 128 bytes. Two chains of carries do
// not wait for each other. Their sums cannot tell words of zeros from words of
// ones: that the exclusive or in the fingerprint can.
func sumBlocks(b []byte) (sum, print uint64, rest []byte) {
	var s, t, c, x uint64
	for len(b) >= 128 {
		w := (*[128]byte)(b)
		s, x, c = add(s, x, binary.LittleEndian.Uint64(w[0:]), 0)
		s, x, c = add(s, x, binary.LittleEndian.Uint64(w[8:]), c)
		s, x, c = add(s, x, binary.LittleEndian.Uint64(w[16:]), c)
		s, x, c = add(s, x, binary.LittleEndian.Uint64(w[24:]), c)
		s, x, c = add(s, x, binary.LittleEndian.Uint64(w[32:]), c)
		s, x, c = add(s, x, binary.LittleEndian.Uint64(w[40:]), c)
		s, x, c = add(s, x, binary.LittleEndian.Uint64(w[48:]), c)
		s, x, c = add(s, x, binary.LittleEndian.Uint64(w[56:]), c)
		s, c = bits.Add64(s, 0, c)
		s += c
		t, x, c = add(t, x, binary.LittleEndian.Uint64(w[64:]), 0)
		t, x, c = add(t, x, binary.LittleEndian.Uint64(w[72:]), c)
		t, x, c = add(t, x, binary.LittleEndian.Uint64(w[80:]), c)
		t, x, c = add(t, x, binary.LittleEndian.Uint64(w[88:]), c)
		t, x, c = add(t, x, binary.LittleEndian.Uint64(w[96:]), c)
		t, x, c = add(t, x, binary.LittleEndian.Uint64(w[104:]), c)
		t, x, c = add(t, x, binary.LittleEndian.Uint64(w[112:]), c)
		t, x, c = add(t, x, binary.LittleEndian.Uint64(w[120:]), c)
		t, c = bits.Add64(t, 0, c)
		t += c
		print = (print ^ s ^ bits.RotateLeft64(t, 23) ^ bits.RotateLeft64(x, 41)) * printFactor
		b = b[128:]
	}
	return addCarry(s, t), print, b
}

// add adds a word to a sum with carry, and to an exclusive or.
func add(s, x, word, carry uint64) (sum, or, c uint64) {
	sum, c = bits.Add64(s, word, carry)
	return sum, x ^ word, c
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
