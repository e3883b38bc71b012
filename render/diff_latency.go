package render

import (
	"cmp"
	"slices"

	"pulsar-dissect/session/summary"
)

// diffLatency is how long exchanges of a kind took in both runs.
type diffLatency struct {
	name   string
	of     [2]*summary.Latencies
	change change
}

var noLatencies summary.Latencies

// latenciesOf gives the latencies of a run by what the overview calls them.
func latenciesOf(s *summary.Summary) (names []string, of map[string]*summary.Latencies) {
	of = map[string]*summary.Latencies{}
	add := func(name string, l *summary.Latencies) {
		if l.Count > 0 {
			names = append(names, name)
			of[name] = l
		}
	}
	for _, row := range exchangeRows {
		if row.name != "" {
			add(row.name, &s.Exchanges[row.kind].Latency)
			continue
		}
		requests := s.Requests(row.kind)
		for i := range requests {
			add(requests[i].Name, &requests[i].Latency)
		}
	}
	add("publish → broker", &s.BrokerDelay)
	return names, of
}

func compareLatencies(sides [2]*Side) (rows []diffLatency) {
	names, before := latenciesOf(sides[0].summary)
	others, after := latenciesOf(sides[1].summary)
	for _, name := range append(names, others...) {
		if slices.ContainsFunc(rows, func(r diffLatency) bool { return r.name == name }) {
			continue
		}
		r := diffLatency{name: name, of: [2]*summary.Latencies{cmp.Or(before[name], &noLatencies), cmp.Or(after[name], &noLatencies)}}
		r.change = r.changed()
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b diffLatency) int {
		return cmp.Or(a.change.compare(b.change), cmp.Compare(b.weight(), a.weight()))
	})
	return rows
}

// comparable percentiles, and of how many latencies on each side.
var comparables = []struct {
	percentile float64
	least      uint64
}{{50, p50Least}, {99, p99Least}}

func (r *diffLatency) changed() change {
	is := same
	for _, c := range comparables {
		if min(r.of[0].Count, r.of[1].Count) < c.least {
			continue
		}
		f := r.factor(c.percentile)
		switch {
		case f > trafficFactor:
			return slower
		case f > 0 && f < 1.0/trafficFactor && r.weight() <= 1:
			is = faster
		}
	}
	return is
}

// factor is how many times as long a percentile is in the second run, 0 if that
// is not known.
func (r *diffLatency) factor(percentile float64) float64 {
	before, after := r.of[0].Percentile(percentile), r.of[1].Percentile(percentile)
	if percentile == 100 {
		before, after = r.of[0].Max, r.of[1].Max
	}
	if before <= 0 || after <= 0 {
		return 0
	}
	return float64(after) / float64(before)
}

// weight is the factor that counts most.
func (r *diffLatency) weight() float64 { return max(r.factor(50), r.factor(99)) }
