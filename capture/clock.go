package capture

import (
	"math"
	"math/bits"
)

// clock turns the time stamps of a pcapng interface into ns since the Unix
// epoch. What is finer than a ns is cut off.
type clock struct {
	multiply uint64 // ns per unit where units are no finer than a ns, else 0
	divide   uint64 // units per ns where they are finer, 0 for none is ever a ns
	shift    uint   // units are 2^-shift seconds; only if binary
	binary   bool
	offset   int64 // added, in seconds
}

// microseconds is the clock of an interface that states none.
var microseconds = clock{multiply: 1000}

// newClock reads an if_tsresol: a negative power of 10, or of 2 with the top bit
// set (draft-ietf-opsawg-pcapng, section 4.2).
func newClock(resolution byte, offset int64) clock {
	power := uint(resolution & 0x7f)
	switch {
	case resolution&0x80 != 0:
		return clock{binary: true, shift: power, offset: offset}
	case power <= 9:
		return clock{multiply: powerOf10(9 - power), offset: offset}
	default:
		return clock{divide: powerOf10(power - 9), offset: offset}
	}
}

// powerOf10 is 0 where it does not fit in 64 bits.
func powerOf10(n uint) uint64 {
	if n > 19 {
		return 0
	}
	v := uint64(1)
	for range n {
		v *= 10
	}
	return v
}

// time gives ns; times beyond 64 bits of them become the nearest that fits.
func (c *clock) time(units uint64) int64 {
	if c.multiply != 0 && c.offset == 0 {
		if hi, ns := bits.Mul64(units, c.multiply); hi == 0 && ns <= math.MaxInt64 {
			return int64(ns)
		}
		return math.MaxInt64
	}
	return addSeconds(c.units(units), c.offset)
}

func (c *clock) units(units uint64) int64 {
	hi, ns := uint64(0), uint64(0)
	switch {
	case c.binary:
		hi, ns = bits.Mul64(units, 1e9)
		hi, ns = shiftRight(hi, ns, c.shift)
	case c.multiply != 0:
		hi, ns = bits.Mul64(units, c.multiply)
	case c.divide != 0:
		ns = units / c.divide
	}
	if hi != 0 || ns > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(ns)
}

func shiftRight(hi, lo uint64, n uint) (uint64, uint64) {
	return hi >> n, lo>>n | hi<<(64-n) | hi>>(n-64)
}

func addSeconds(ns, seconds int64) int64 {
	const limit = int64(math.MaxInt64 / 1_000_000_000)
	if seconds > limit {
		return math.MaxInt64
	}
	if seconds < -limit {
		return math.MinInt64
	}
	sum := ns + seconds*1e9
	if seconds > 0 && sum < ns {
		return math.MaxInt64
	}
	return sum
}
