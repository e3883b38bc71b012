package report

import (
	"cmp"
	"slices"

	"pulsar-dissect/session"
)

// level is how many permits a consumer had outstanding within a bin.
type level struct {
	changed         bool
	low, high, last int64
}

func (l *level) merge(later *level) {
	switch {
	case !later.changed:
		return
	case !l.changed:
		*l = *later
		return
	}
	l.low, l.high, l.last = min(l.low, later.low), max(l.high, later.high), later.last
}

// consumerKey tells consumers of a run apart.
type consumerKey struct {
	conn     int
	consumer uint64
}

// permits are those of each consumer over time.
type permits struct {
	of    map[consumerKey]*allowance
	order []*allowance // as they first had permits
	kept  kept
}

// allowance is what a consumer had over time.
type allowance struct {
	consumerKey
	topic, subscription, name string
	known                     bool // its SUBSCRIBE was seen: the numbers are not only differences
	series[level, *level]
}

func (p *permits) add(a *axis, e *session.Event) {
	key := consumerKey{e.Conn.ID, e.Permits.ConsumerID}
	c := p.of[key]
	if c == nil {
		if !p.kept.take(keptPermits) {
			return
		}
		c = &allowance{consumerKey: key}
		p.of[key] = c
		p.order = append(p.order, c)
	}
	if about := e.Consumer; about != nil {
		c.topic, c.subscription, c.name = about.Topic, about.Subscription, about.Name
	}
	c.known = e.Permits.BaselineKnown
	n := e.Permits.Outstanding
	c.at(a, e.At.Time).merge(&level{true, n, n, n})
}

// permitsRecord are the permits of a consumer: of each bin in which they changed,
// the bin, the least, the most and the last number outstanding.
type permitsRecord struct {
	ConnID        int        `json:"conn_id"`
	ConsumerID    uint64     `json:"consumer_id"`
	Name          string     `json:"consumer_name,omitempty"`
	Topic         string     `json:"topic,omitempty"`
	Subscription  string     `json:"subscription,omitempty"`
	BaselineKnown bool       `json:"baseline_known"`
	Points        [][4]int64 `json:"points"`
}

func (p *permits) records(a *axis) []permitsRecord {
	slices.SortStableFunc(p.order, func(x, y *allowance) int {
		return cmp.Or(cmp.Compare(x.conn, y.conn), cmp.Compare(x.consumer, y.consumer))
	})
	list := make([]permitsRecord, 0, len(p.order))
	for _, c := range p.order {
		r := permitsRecord{c.conn, c.consumer, c.name, c.topic, c.subscription, c.known, nil}
		c.widen(a)
		for i, l := range c.bins {
			if l.changed {
				r.Points = append(r.Points, [4]int64{int64(i), l.low, l.high, l.last})
			}
		}
		list = append(list, r)
	}
	return list
}
