package stats

import (
	"cmp"
	"slices"
	"strings"

	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
	"pulsar-dissect/session/summary"
)

const (
	connect = int32(pb.BaseCommand_CONNECT)
	send    = int32(pb.BaseCommand_SEND)
	message = int32(pb.BaseCommand_MESSAGE)

	producer      = int32(pb.BaseCommand_PRODUCER)
	subscribe     = int32(pb.BaseCommand_SUBSCRIBE)
	unsubscribe   = int32(pb.BaseCommand_UNSUBSCRIBE)
	closeProducer = int32(pb.BaseCommand_CLOSE_PRODUCER)
	closeConsumer = int32(pb.BaseCommand_CLOSE_CONSUMER)
)

// Options says what is counted.
type Options struct {
	By       By
	Interval int64 // ns; 0: the whole run is one
	Limits   Limits
}

// Stats counts the traffic of a run. It is not safe for concurrent use.
type Stats struct {
	First, Last int64  // time of the first and the last event, ns since the Unix epoch
	Overflown   uint64 // how often a key had no row: they are counted in the row of the others

	options   Options
	key       func(*session.Event) (Key, bool)
	rows      map[Key]*Row
	others    *Row // nil: there are none
	nameBytes int
	sketches  int
	lastKey   Key // found before, and most often asked for again
	lastRow   *Row
}

// New makes an empty count.
func New(o Options) *Stats {
	o.Limits = o.Limits.withDefaults()
	if o.By == "" {
		o.By = ByTopic
	}
	return &Stats{options: o, key: keys[o.By], rows: map[Key]*Row{}}
}

// By is what the rows are of.
func (s *Stats) By() By { return s.options.By }

// Interval is the length of an interval in ns, 0 where the run is one.
func (s *Stats) Interval() int64 { return s.options.Interval }

// Add counts an event.
func (s *Stats) Add(e *session.Event) {
	if e.Kind != session.FrameSeen && e.Kind != session.ExchangeSeen {
		return
	}
	s.see(e.At.Time)
	key, ok := s.key(e)
	if !ok {
		return
	}
	if n := s.options.Interval; n > 0 {
		key.Start = e.At.Time - e.At.Time%n
	}
	r := s.row(key)
	if key.Producer != "" || key.Consumer != "" {
		r.Name = cmp.Or(nameOf(e), r.Name)
	}
	if e.Kind == session.FrameSeen {
		r.frame(e.Frame)
		return
	}
	r.exchange(e.Exchange)
	s.latency(r, e.Exchange)
}

func (s *Stats) see(at int64) {
	if s.First == 0 || at < s.First {
		s.First = at
	}
	s.Last = max(s.Last, at)
}

// row finds the row of a key, or makes one, or gives that of the others.
func (s *Stats) row(k Key) *Row {
	if s.lastRow != nil && s.lastKey == k {
		return s.lastRow
	}
	r := s.rows[k]
	if r == nil {
		n := k.size()
		if len(s.rows) >= s.options.Limits.Rows || s.nameBytes+n > s.options.Limits.NameBytes {
			s.Overflown++
			return s.rest()
		}
		s.nameBytes += n
		r = &Row{Key: k}
		s.rows[k] = r
	}
	s.lastKey, s.lastRow = k, r
	return r
}

func (s *Stats) rest() *Row {
	if s.others == nil {
		s.others = &Row{Key: Key{ConnID: -1}, Others: true}
	}
	return s.others
}

// latency counts how long an exchange took; of a cumulative acknowledgement,
// each delivery that it covers.
func (s *Stats) latency(r *Row, x *session.Exchange) {
	if x.Cumulative {
		for i := range x.Covers {
			s.sketch(r, x.Kind).Add(x.Covers[i].Latency)
		}
		return
	}
	if ns, ok := x.Latency(); ok && (x.Result == session.OK || x.Result == session.Failed) {
		s.sketch(r, x.Kind).Add(ns)
	}
}

// sketch gives the distribution of a row. Where there are too many, it is that
// of the others.
func (s *Stats) sketch(r *Row, k session.ExchangeKind) *summary.Latencies {
	if r.Latencies[k] == nil {
		if s.sketches >= s.options.Limits.Sketches && !r.Others {
			s.Overflown++
			return s.sketch(s.rest(), k)
		}
		s.sketches++
		r.Latencies[k] = &summary.Latencies{}
	}
	return r.Latencies[k]
}

// Seconds is how long a row counted: the interval, as far as it lies in the
// run, in s. It is 0 where the run has no length.
func (s *Stats) Seconds(r *Row) float64 {
	from, to := s.First, s.Last
	if n := s.options.Interval; n > 0 && !r.Others {
		from, to = max(from, r.Start), min(to, r.Start+n)
	}
	return float64(to-from) / 1e9
}

// Rows gives the rows: interval by interval, in each by what they are sorted
// by, and then by name. That of the others comes last.
func (s *Stats) Rows(by Order) []*Row {
	rows := make([]*Row, 0, len(s.rows)+1)
	for _, r := range s.rows {
		rows = append(rows, r)
	}
	measure := orders[by]
	slices.SortFunc(rows, func(a, b *Row) int {
		if c := cmp.Compare(a.Start, b.Start); c != 0 {
			return c
		}
		if measure != nil {
			if c := cmp.Compare(measure(b), measure(a)); c != 0 {
				return c
			}
		}
		return a.Key.compare(&b.Key)
	})
	if s.others != nil {
		rows = append(rows, s.others)
	}
	return rows
}

func (k *Key) compare(o *Key) int {
	return cmp.Or(strings.Compare(k.Topic, o.Topic), strings.Compare(k.Subscription, o.Subscription), strings.Compare(k.Producer, o.Producer),
		strings.Compare(k.Consumer, o.Consumer), strings.Compare(k.Client, o.Client), strings.Compare(k.Command, o.Command),
		cmp.Compare(k.ConnID, o.ConnID))
}
