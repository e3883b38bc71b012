package jsontext

import (
	"math"
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
