package summary

import "github.com/HdrHistogram/hdrhistogram-go"

// Latencies are told from 1 ns to an hour, with two significant digits; what
// lies above counts as an hour in the percentiles. Buckets of integers, so that
// results are the same on every machine.
const (
	lowestLatency  = 1
	highestLatency = 3_600_000_000_000 // ns
	latencyDigits  = 2
)

// Latencies is a distribution of latencies.
type Latencies struct {
	Count    uint64
	Negative uint64 // below 0, since the clock of the capture stepped back; counted as 0 in the percentiles
	Min, Max int64  // ns, exact

	histogram *hdrhistogram.Histogram // made when it is needed: 36 KiB
}

// Add counts a latency in ns.
func (l *Latencies) Add(ns int64) {
	if l.histogram == nil {
		l.histogram = hdrhistogram.New(lowestLatency, highestLatency, latencyDigits)
		l.Min, l.Max = ns, ns
	}
	l.Count++
	l.Min, l.Max = min(l.Min, ns), max(l.Max, ns)
	if ns < 0 {
		l.Negative++
	}
	_ = l.histogram.RecordValue(min(max(ns, 0), highestLatency)) // the bounds are its own
}

// Percentile gives the latency in ns that p percent do not exceed, to two
// significant digits; 0 if there are none.
func (l *Latencies) Percentile(p float64) int64 {
	if l.histogram == nil {
		return 0
	}
	return min(max(l.histogram.ValueAtQuantile(p), l.Min), l.Max)
}

// Merge adds what another distribution counted: the outcome is that of counting
// everything in one.
func (l *Latencies) Merge(o *Latencies) {
	switch {
	case o.histogram == nil:
		return
	case l.histogram == nil:
		l.histogram = hdrhistogram.New(lowestLatency, highestLatency, latencyDigits)
		l.Min, l.Max = o.Min, o.Max
	}
	l.Count, l.Negative = l.Count+o.Count, l.Negative+o.Negative
	l.Min, l.Max = min(l.Min, o.Min), max(l.Max, o.Max)
	l.histogram.Merge(o.histogram) // nothing is dropped: the bounds are the same
}
