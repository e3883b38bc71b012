package report

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"

	"pulsar-dissect/decode"
	"pulsar-dissect/session"
)

// spread counts latencies of a bin by bucket.
type spread struct{ counts map[uint8]uint64 }

func (s *spread) merge(later *spread) {
	if s.counts == nil {
		s.counts = later.counts
		return
	}
	for b, n := range later.counts {
		s.counts[b] += n
	}
}

func (s *spread) add(ns int64) {
	if s.counts == nil {
		s.counts = map[uint8]uint64{}
	}
	s.counts[bucketOf(ns)]++
}

// bucketOf is the bucket of a latency in ns: four to each power of two. Those
// below 0, where the clock of the capture stepped back, are in the first.
func bucketOf(ns int64) uint8 {
	n := uint64(max(ns, 1))
	power := bits.Len64(n) - 1
	return uint8(4*power) + uint8(n<<2>>power&3)
}

// bucketFrom is the least latency of a bucket, ns.
func bucketFrom(b uint8) float64 {
	return float64(4+b&3) / 4 * float64(uint64(1)<<(b/4))
}

// asked is what is timed together: exchanges of a kind, requests of a type.
type asked struct {
	kind    session.ExchangeKind
	request int32 // type, -1 where that makes no difference
}

// latencies are those of all exchanges over time.
type latencies struct {
	of   map[asked]*series[spread, *spread]
	kept kept
}

func (l *latencies) add(a *axis, e *session.Event) {
	x := e.Exchange
	if x.Cumulative {
		for i := range x.Covers {
			l.take(a, e, x.Covers[i].Latency)
		}
		return
	}
	if ns, ok := x.Latency(); ok {
		l.take(a, e, ns)
	}
}

func (l *latencies) take(a *axis, e *session.Event, ns int64) {
	key := asked{e.Exchange.Kind, -1}
	if key.kind == session.Request || key.kind == session.Bookie {
		key.request = e.Exchange.Request.Type
	}
	s := l.of[key]
	if s == nil {
		if !l.kept.take(keptLatencies) {
			return
		}
		s = &series[spread, *spread]{}
		l.of[key] = s
	}
	s.at(a, e.At.Time).add(ns)
}

// latencyRecord are the latencies of exchanges of a kind: of each bin of time and
// bucket in which there are any, the bin, the number of the bucket in buckets_ns
// and the count.
type latencyRecord struct {
	Exchange string      `json:"exchange"`
	Request  string      `json:"request,omitempty"`
	Cells    [][3]uint64 `json:"cells"`
}

func (l *latencies) records(a *axis) []latencyRecord {
	keys := slices.SortedFunc(maps.Keys(l.of), func(x, y asked) int {
		return cmp.Or(cmp.Compare(x.kind, y.kind), cmp.Compare(x.request, y.request))
	})
	list := make([]latencyRecord, 0, len(keys))
	for _, k := range keys {
		r := latencyRecord{Exchange: k.kind.String(), Cells: cells(l.of[k], a)}
		if k.request >= 0 {
			r.Request = decode.TypeName(k.request)
		}
		list = append(list, r)
	}
	return list
}

func cells(s *series[spread, *spread], a *axis) (list [][3]uint64) {
	s.widen(a)
	for i := range s.bins {
		counts := s.bins[i].counts
		for _, b := range slices.Sorted(maps.Keys(counts)) {
			list = append(list, [3]uint64{uint64(i), uint64(b), counts[b]})
		}
	}
	return list
}

// bucketBounds are the least latencies of all buckets, ns.
func bucketBounds() []float64 {
	bounds := make([]float64, 4*63)
	for b := range bounds {
		bounds[b] = bucketFrom(uint8(b))
	}
	return bounds
}
