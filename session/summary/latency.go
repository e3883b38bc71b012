package summary

import (
	"math"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Latencies are told from 1 ns to an hour, with two significant digits; what
// lies above counts as an hour in the percentiles. Buckets of integers, so that
// results are the same on every machine.
const (
	lowestLatency  = 1
	highestLatency = 3_600_000_000_000 // ns
	latencyDigits  = 2
)

// exactLatencies is how many latencies are kept one by one, so that the
// percentiles of few are exact.
const exactLatencies = 500

// Latencies is a distribution of latencies.
type Latencies struct {
	Count    uint64
	Negative uint64 // below 0, since the clock of the capture stepped back; counted as 0 in the percentiles
	Min, Max int64  // ns, exact

	few       []int64 // all of them, while they are no more than exactLatencies
	sorted    bool
	histogram *hdrhistogram.Histogram // of more: 36 KiB
}

// Add counts a latency in ns.
func (l *Latencies) Add(ns int64) {
	if l.Count == 0 {
		l.Min, l.Max = ns, ns
	}
	l.Count++
	l.Min, l.Max = min(l.Min, ns), max(l.Max, ns)
	if ns < 0 {
		l.Negative++
	}
	l.keep(max(ns, 0))
}

func (l *Latencies) keep(ns int64) {
	if l.histogram == nil && len(l.few) < exactLatencies {
		l.few, l.sorted = append(l.few, ns), false
		return
	}
	l.pour()
	l.record(ns)
}

// pour puts what was kept one by one into the buckets.
func (l *Latencies) pour() {
	if l.histogram != nil {
		return
	}
	l.histogram = hdrhistogram.New(lowestLatency, highestLatency, latencyDigits)
	for _, ns := range l.few {
		l.record(ns)
	}
	l.few = nil
}

func (l *Latencies) record(ns int64) {
	_ = l.histogram.RecordValue(min(ns, highestLatency)) // the bounds are its own
}

// Percentile gives the latency in ns that p percent do not exceed: exact where
// there are no more than exactLatencies, else to two significant digits; 0 if
// there are none.
func (l *Latencies) Percentile(p float64) int64 {
	switch {
	case l.histogram != nil:
		return min(max(l.histogram.ValueAtQuantile(p), l.Min), l.Max)
	case len(l.few) == 0:
		return 0
	case !l.sorted:
		slices.Sort(l.few)
		l.sorted = true
	}
	rank := int(math.Ceil(p/100*float64(len(l.few)) - 1e-9)) // as a fraction of 100 is not exact
	return min(max(l.few[max(rank, 1)-1], l.Min), l.Max)
}

// Merge adds what another distribution counted: the outcome is that of counting
// everything in one.
func (l *Latencies) Merge(o *Latencies) {
	switch {
	case o.Count == 0:
		return
	case l.Count == 0:
		l.Min, l.Max = o.Min, o.Max
	}
	l.Count, l.Negative = l.Count+o.Count, l.Negative+o.Negative
	l.Min, l.Max = min(l.Min, o.Min), max(l.Max, o.Max)
	if o.histogram == nil {
		for _, ns := range o.few {
			l.keep(ns)
		}
		return
	}
	l.pour()
	l.histogram.Merge(o.histogram) // nothing is dropped: the bounds are the same
}
