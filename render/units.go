package render

import (
	"strconv"
	"strings"
	"time"
)

// binary are the units of sizes, each 1,024 of the one before.
var binaryUnits = [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// appendSize appends a size in bytes with three digits: "812 B", "1.23 KiB".
func appendSize(dst []byte, bytes int64) []byte {
	if bytes < 0 {
		return appendSize(append(dst, '-'), -bytes)
	}
	unit, v := 0, float64(bytes)
	for v >= 1023.5 && unit < len(binaryUnits)-1 {
		unit, v = unit+1, v/1024
	}
	dst = appendThree(dst, v, unit == 0)
	return append(append(dst, ' '), binaryUnits[unit]...)
}

var decimalTimes = [...]struct {
	unit string
	size float64
}{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}

// appendLatency appends a duration in ns with three digits: "778 µs",
// "2.97 ms". Minutes and more are told as such: "3m20s".
func appendLatency(dst []byte, ns int64) []byte {
	if ns < 0 {
		return appendLatency(append(dst, '-'), -ns)
	}
	if ns >= int64(100*time.Second) {
		return append(dst, time.Duration(ns).Round(time.Second).String()...)
	}
	unit := 0
	for unit < len(decimalTimes)-1 && float64(ns) >= 999.5*decimalTimes[unit].size {
		unit++
	}
	dst = appendThree(dst, float64(ns)/decimalTimes[unit].size, unit == 0)
	return append(append(dst, ' '), decimalTimes[unit].unit...)
}

// appendThree appends a number below 1,000 with three digits.
func appendThree(dst []byte, v float64, whole bool) []byte {
	decimals := 2
	switch {
	case whole || v >= 99.95:
		decimals = 0
	case v >= 9.995:
		decimals = 1
	}
	return strconv.AppendFloat(dst, v, 'f', decimals, 64)
}

// appendCount appends a number with a comma before every three digits.
func appendCount(dst []byte, n uint64) []byte {
	digits := strconv.FormatUint(n, 10)
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, digits[i])
	}
	return dst
}

func sizeText(bytes int64) string            { return string(appendSize(nil, bytes)) }
func latencyText(ns int64) string            { return string(appendLatency(nil, ns)) }
func countText[T ~uint64 | ~int](n T) string { return string(appendCount(nil, uint64(n))) }

// plural appends a count and a noun: "1 packet", "2 packets".
func plural[T ~uint64 | ~int](n T, noun string) string {
	s := countText(n) + " " + noun
	stem, y := strings.CutSuffix(s, "y")
	switch {
	case n == 1:
		return s
	case y:
		return stem + "ies"
	}
	return s + "s"
}
