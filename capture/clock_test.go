package capture

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestClock(t *testing.T) {
	for _, tc := range []struct {
		name       string
		resolution byte
		offset     int64
		units      uint64
		want       int64
	}{
		{"microseconds", 6, 0, 1_700_000_000_000001, 1_700_000_000_000001_000},
		{"nanoseconds", 9, 0, 1_700_000_000_000000001, 1_700_000_000_000000001},
		{"milliseconds", 3, 0, 5, 5_000_000},
		{"seconds", 0, 0, 5, 5_000_000_000},
		{"picoseconds are cut down", 12, 0, 1999, 1},
		{"2^-20 s is cut down", 0x80 | 20, 0, 3, 2861},
		{"2^-30 s", 0x80 | 30, 0, 1 << 30, 1_000_000_000},
		{"2^-64 s", 0x80 | 64, 0, 1 << 63, 500_000_000},
		{"2^-127 s is never a ns", 0x80 | 127, 0, math.MaxUint64, 0},
		{"10^-127 s is never a ns", 127, 0, math.MaxUint64, 0},
		{"offset", 6, 1000, 7, 1000_000_007_000},
		{"offset before", 9, -1, 1, -999_999_999},
		{"too late", 6, 0, math.MaxUint64, math.MaxInt64},
		{"too late by its offset", 6, math.MaxInt64, 1, math.MaxInt64},
		{"too late together", 9, 1, math.MaxInt64, math.MaxInt64},
		{"too early", 6, math.MinInt64, 1, math.MinInt64},
	} {
		c := newClock(tc.resolution, tc.offset)
		if got := c.time(tc.units); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
	}
}

// TestClockAgainstBigNumbers compares every resolution with exact arithmetic.
func TestClockAgainstBigNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for resolution := range 256 {
		for range 50 {
			units := random.Uint64() >> random.IntN(64)
			offset := random.Int64N(2_000_000_000) * int64(random.IntN(2))
			c := newClock(byte(resolution), offset)
			if got, want := c.time(units), exactTime(byte(resolution), units, offset); got != want {
				t.Fatalf("resolution %#x, %d units, offset %d: %d, want %d", resolution, units, offset, got, want)
			}
		}
	}
}

func exactTime(resolution byte, units uint64, offset int64) int64 {
	base := int64(10)
	if resolution&0x80 != 0 {
		base = 2
	}
	perSecond := new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(resolution&0x7f)), nil)
	ns := new(big.Int).Mul(new(big.Int).SetUint64(units), big.NewInt(1e9))
	ns.Div(ns, perSecond)
	ns.Add(ns, new(big.Int).Mul(big.NewInt(offset), big.NewInt(1e9)))
	if !ns.IsInt64() {
		return math.MaxInt64
	}
	return ns.Int64()
}
