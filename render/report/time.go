package report

// maxBins is how many bins the time of a run is divided into at most.
const maxBins = 240

// firstWidth is the width of a bin of a short run, ns.
const firstWidth = 1000

// axis divides the time of a run into bins of equal width. The width is doubled
// whenever the run turns out to be longer than all bins together.
type axis struct {
	start     int64 // ns since the Unix epoch
	doublings uint
}

// width is that of a bin, ns.
func (a *axis) width() int64 { return firstWidth << a.doublings }

// bin is the number of the bin that a time, in ns since the Unix epoch, lies in.
// What lies ahead of the start counts as the first.
func (a *axis) bin(time int64) int {
	since := max(time-a.start, 0)
	for since/a.width() >= maxBins {
		a.doublings++
	}
	return int(since / a.width())
}

// binned is what a series has of each bin: a pointer to T that can take in what the
// bin behind it has.
type binned[T any] interface {
	*T
	merge(later *T)
}

// series is something over time. Bins behind the last one are not there.
type series[T any, P binned[T]] struct {
	bins      []T
	doublings uint
}

// at gives the bin of a time.
func (s *series[T, P]) at(a *axis, time int64) P {
	i := a.bin(time)
	s.widen(a)
	for len(s.bins) <= i {
		var empty T
		s.bins = append(s.bins, empty)
	}
	return &s.bins[i]
}

// widen brings the bins to the width of the axis.
func (s *series[T, P]) widen(a *axis) {
	for ; s.doublings < a.doublings; s.doublings++ {
		n := len(s.bins)
		for i := 0; i < n; i += 2 {
			if i+1 < n {
				P(&s.bins[i]).merge(&s.bins[i+1])
			}
			s.bins[i/2] = s.bins[i]
		}
		clear(s.bins[(n+1)/2:])
		s.bins = s.bins[:(n+1)/2]
	}
}

// values are one number of each bin, in the width of the axis.
func values[T any, P binned[T], V any](s *series[T, P], a *axis, of func(P) V) []V {
	s.widen(a)
	list := make([]V, len(s.bins))
	for i := range s.bins {
		list[i] = of(&s.bins[i])
	}
	return list
}
