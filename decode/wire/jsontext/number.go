package jsontext

import (
	"math"
	"math/bits"
	"strconv"
)

// AppendFloat appends f as a JSON number with as many digits as are needed to
// read it back; NaN and the infinities, which JSON has no numbers for, as the
// strings "NaN", "Infinity" and "-Infinity" (protobuf's JSON mapping).
func AppendFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...)
	}
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, 64)
}

// pairs are the digits of 0 to 99.
const pairs = "00010203040506070809" +
	"10111213141516171819" +
	"20212223242526272829" +
	"30313233343536373839" +
	"40414243444546474849" +
	"50515253545556575859" +
	"60616263646566676869" +
	"70717273747576777879" +
	"80818283848586878889" +
	"90919293949596979899"

// AppendUint appends v in decimal. It writes two digits at a time into their
// place, where strconv makes them elsewhere and copies: records are half
// numbers, and this halves what they cost.
func AppendUint(dst []byte, v uint64) []byte {
	if v < 10 {
		return append(dst, byte('0'+v))
	}
	n := digits(v)
	dst = append(dst, "00000000000000000000"[:n]...)
	at := len(dst)
	for ; v >= 10; v /= 100 {
		at -= 2
		copy(dst[at:at+2], pairs[v%100*2:])
	}
	if n%2 == 1 {
		dst[at-1] = byte('0' + v)
	}
	return dst
}

// AppendInt is AppendUint of a signed number.
func AppendInt(dst []byte, v int64) []byte {
	if v < 0 {
		return AppendUint(append(dst, '-'), -uint64(v))
	}
	return AppendUint(dst, uint64(v))
}

// powers are those of ten, from 10 on.
var powers = func() (p [19]uint64) {
	for i, v := 0, uint64(10); i < len(p); i, v = i+1, v*10 {
		p[i] = v
	}
	return p
}()

// digits is how many digits v has, at least 1: the logarithm of 2 is about
// 1233/4096, which is never too large.
func digits(v uint64) int {
	n := (bits.Len64(v|1) - 1) * 1233 >> 12
	if n < len(powers) && v >= powers[n] {
		n++
	}
	return n + 1
}
