package summary

import (
	"time"

	"pulsar-dissect/capture"
)

// Packets that lie closer together than leastDisorder need no sorting: cards
// and CPUs hand up packets that much out of order. What lies further apart than
// mostDisorder, or only once, is no shuffle: the clock was set, or files were
// put one behind the other.
const (
	leastDisorder = time.Millisecond
	mostDisorder  = time.Minute
)

// Span is the time of the first and the last packet of all files, in ns since
// the Unix epoch; false if no packet has a time.
func (s *Summary) Span() (first, last int64, ok bool) {
	for i := range s.Totals.Capture.Files {
		f := &s.Totals.Capture.Files[i]
		if f.Packets == f.NoTime {
			continue
		}
		if !ok {
			first, last, ok = f.First, f.Last, true
		}
		first, last = min(first, f.First), max(last, f.Last)
	}
	return first, last, ok
}

// Packets is how many packets all files hold.
func (s *Summary) Packets() (n uint64) {
	for i := range s.Totals.Capture.Files {
		n += s.Totals.Capture.Files[i].Packets
	}
	return n
}

// Reorder is the window that would put the packets of a file in order; 0 where
// it would not help.
func Reorder(f *capture.FileStats) time.Duration {
	most := time.Duration(f.LargestStepBack)
	if f.StepsBack < 2 || most < leastDisorder || most > mostDisorder {
		return 0
	}
	return roundUp(most)
}

// ClockSet tells of times that go back in a way that sorting does not help.
func ClockSet(f *capture.FileStats) bool {
	return time.Duration(f.LargestStepBack) >= leastDisorder && Reorder(f) == 0
}

// roundUp gives the next duration that is 1, 2 or 5 of a power of ten.
func roundUp(d time.Duration) time.Duration {
	for unit := time.Duration(1); ; unit *= 10 {
		for _, n := range []time.Duration{1, 2, 5} {
			if n*unit >= d {
				return n * unit
			}
		}
	}
}
