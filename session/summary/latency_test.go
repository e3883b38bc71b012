package summary

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPercentiles holds percentiles against those of the sorted latencies: two
// significant digits, and exact where there is one latency or the greatest is
// asked for.
func TestPercentiles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name string
		next func() int64
	}{
		{"uniform", func() int64 { return random.Int64N(50_000_000) }},
		{"exponential", func() int64 { return int64(random.ExpFloat64() * 1e6) }},
		{"few values", func() int64 { return 1000 * random.Int64N(5) }},
		{"small", func() int64 { return random.Int64N(200) }},
	} {
		var l Latencies
		var all []int64
		for range 10_000 {
			ns := c.next()
			l.Add(ns)
			all = append(all, ns)
		}
		slices.Sort(all)
		for _, p := range []float64{50, 90, 99, 100} {
			want := all[int(p/100*float64(len(all)))-1]
			if got := l.Percentile(p); got < want || float64(got) > float64(want)*1.01+1 {
				t.Errorf("%s, p%v: got %d, want %d and at most 1%% more", c.name, p, got, want)
			}
		}
		if l.Min != all[0] || l.Max != all[len(all)-1] || l.Count != 10_000 {
			t.Errorf("%s: least %d, greatest %d, count %d; want %d, %d, 10000", c.name, l.Min, l.Max, l.Count, all[0], all[len(all)-1])
		}
	}
}

func TestLatenciesAtTheEdges(t *testing.T) {
	var none Latencies
	if none.Percentile(50) != 0 {
		t.Error("no latencies have a percentile")
	}
	var one Latencies
	one.Add(778_123)
	for _, p := range []float64{50, 99, 100} {
		if got := one.Percentile(p); got != 778_123 {
			t.Errorf("the only latency: p%v is %d", p, got)
		}
	}
	var odd Latencies
	odd.Add(-5_000)
	odd.Add(1 << 62) // 146 years
	if odd.Negative != 1 || odd.Min != -5_000 || odd.Max != 1<<62 || odd.Count != 2 {
		t.Errorf("got %+v", odd)
	}
	if got := odd.Percentile(100); got < highestLatency || got > 1<<62 {
		t.Errorf("above the greatest: p100 is %d", got)
	}
}

// The percentiles of few latencies are exact, also where they come from several
// distributions; one more than that makes them buckets, and no count is lost.
func TestFewAreExact(t *testing.T) {
	var odd, even, all Latencies
	for ns := range int64(exactLatencies) {
		all.Add(1_000_001 + ns)
		if ns%2 == 0 {
			even.Add(1_000_001 + ns)
		} else {
			odd.Add(1_000_001 + ns)
		}
	}
	even.Merge(&odd)
	for p, want := range map[float64]int64{50: 1_000_250, 90: 1_000_450, 99: 1_000_495, 99.9: 1_000_500, 100: 1_000_500} {
		if all.Percentile(p) != want || even.Percentile(p) != want {
			t.Errorf("p%v: %d and merged %d, want %d", p, all.Percentile(p), even.Percentile(p), want)
		}
	}
	all.Merge(&odd)
	if all.few != nil || all.histogram.TotalCount() != exactLatencies*3/2 || all.Count != exactLatencies*3/2 {
		t.Errorf("%d in buckets, %d one by one", all.histogram.TotalCount(), len(all.few))
	}
}
