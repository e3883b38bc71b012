package metrics

// bounds are the upper ends of the buckets of latencies, in ns: from half a
// millisecond, which a broker without a disk takes, to the minute after which
// clients give up.
var bounds = [...]int64{
	500e3, 1e6, 2500e3, 5e6, 10e6, 25e6, 50e6, 100e6, 250e6, 500e6, 1e9, 2500e6, 5e9, 10e9, 30e9, 60e9,
}

// histogram counts latencies.
type histogram struct {
	buckets [len(bounds)]uint64 // each without those below it
	count   uint64
	sum     int64 // ns
}

// add counts a latency, ns. One below 0, where the clock of the capture stepped
// back, counts as 0: a sum must not shrink.
func (h *histogram) add(ns int64) {
	ns = max(ns, 0)
	h.count++
	h.sum += ns
	for i, most := range bounds {
		if ns <= most {
			h.buckets[i]++
			return
		}
	}
}

// upTo gives the counts as Prometheus has them: by upper end in seconds, each with
// all below it.
func (h *histogram) upTo() map[float64]uint64 {
	out, sum := make(map[float64]uint64, len(bounds)), uint64(0)
	for i, n := range h.buckets {
		sum += n
		out[float64(bounds[i])/1e9] = sum
	}
	return out
}
