package report

import (
	"slices"
	"testing"
)

// total counts what happened in a bin.
type total struct{ n int }

func (t *total) merge(later *total) { t.n += later.n }

func TestSeries(t *testing.T) {
	for _, c := range []struct {
		name  string
		times []int64 // ns since the start
		width int64
		bins  []int
	}{
		{"nothing", nil, 1000, nil},
		{"first", []int64{0, 999, 1000}, 1000, []int{2, 1}},
		{"before the start", []int64{-5}, 1000, []int{1}},
		{"just fits", []int64{0, 239_999}, 1000, append(append([]int{1}, make([]int, 238)...), 1)},
		{"one doubling", []int64{0, 1000, 2000, 240_000}, 2000, append(append([]int{2, 1}, make([]int, 118)...), 1)},
		{"many doublings", []int64{0, 1000, 3_600_000_000_000}, 1000 << 24, append(append([]int{2}, make([]int, 213)...), 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, s := axis{start: 7}, series[total, *total]{}
			for _, at := range c.times {
				s.at(&a, 7+at).n++
			}
			got := values(&s, &a, func(n *total) int { return n.n })
			if a.width() != c.width || !slices.Equal(got, c.bins) {
				t.Errorf("width %d, bins %v, want %d, %v", a.width(), got, c.width, c.bins)
			}
		})
	}
}

// A series that got nothing for long follows when it is asked.
func TestSeriesCatchesUp(t *testing.T) {
	a, s := axis{}, series[total, *total]{}
	for at := range int64(5) {
		s.at(&a, at*1000).n++
	}
	a.bin(480_000)
	if got := values(&s, &a, func(n *total) int { return n.n }); !slices.Equal(got, []int{4, 1}) {
		t.Errorf("bins %v, want 4 and 1 in width %d", got, a.width())
	}
}

func TestBuckets(t *testing.T) {
	for _, c := range []struct {
		ns   int64
		from float64
	}{
		{-1, 1}, {0, 1}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {8, 8}, {9, 8}, {10, 10}, {1_000_000, 917_504}, {1 << 62, 1 << 62},
	} {
		if got := bucketFrom(bucketOf(c.ns)); got != c.from {
			t.Errorf("the bucket of %d ns begins at %v, want %v", c.ns, got, c.from)
		}
	}
	bounds := bucketBounds()
	if !slices.IsSorted(bounds) || int(bucketOf(1<<62)) >= len(bounds)-1 {
		t.Error("the bounds do not rise, or do not reach all latencies")
	}
}

func TestLevels(t *testing.T) {
	var l level
	for _, n := range []int64{5, 9, 2, 4} {
		l.merge(&level{true, n, n, n})
	}
	l.merge(&level{})
	if want := (level{true, 2, 9, 4}); l != want {
		t.Errorf("got %+v, want %+v", l, want)
	}
}
