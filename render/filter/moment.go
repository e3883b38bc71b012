package filter

import (
	"fmt"
	"strings"
	"time"

	"pulsar-dissect/session"
)

// moment is a point in time as a user states it.
type moment struct {
	at     int64 // ns since the Unix epoch, the first packet, or midnight
	origin func(first int64) int64
}

func (m moment) ns(f *Filter) int64 { return m.at + m.origin(f.begin) }

// Where a moment counts from.
func epoch(int64) int64             { return 0 }
func firstPacket(first int64) int64 { return first }
func midnight(first int64) int64 {
	return time.Unix(0, first).UTC().Truncate(24 * time.Hour).UnixNano()
}

// layouts are the forms of a time, UTC where they have no zone. Those of a day
// count from midnight of the first packet's day.
var layouts = []struct {
	layout string
	ofDay  bool
}{
	{time.RFC3339, false},
	{"2006-01-02T15:04:05", false},
	{"2006-01-02 15:04:05", false},
	{"2006-01-02T15:04", false},
	{"2006-01-02 15:04", false},
	{"2006-01-02", false},
	{"15:04:05", true},
	{"15:04", true},
}

func parseMoment(value string) (moment, error) {
	if rest, ok := strings.CutPrefix(value, "+"); ok {
		if d, err := time.ParseDuration(rest); err == nil && d >= 0 {
			return moment{d.Nanoseconds(), firstPacket}, nil
		}
	}
	for _, l := range layouts {
		t, err := time.Parse(l.layout, value)
		switch {
		case err != nil:
		case l.ofDay:
			return moment{t.Sub(t.Truncate(24 * time.Hour)).Nanoseconds(), midnight}, nil
		default:
			return moment{t.UnixNano(), epoch}, nil
		}
	}
	return moment{}, fmt.Errorf("%q is no time: write 2026-01-31T10:00:00Z, 10:00:00 or +5s", value)
}

// Time reads a time as --since takes it. What it gives tells the time in ns
// since the Unix epoch, once the first packet of the run is known (Begin).
func (f *Filter) Time(value string) (func() int64, error) {
	m, err := parseMoment(value)
	return func() int64 { return m.ns(f) }, err
}

func parseSince(value string) (predicate, error) {
	m, err := parseMoment(value)
	return func(f *Filter, e *session.Event) bool { return latest(e) >= m.ns(f) }, err
}

func parseUntil(value string) (predicate, error) {
	m, err := parseMoment(value)
	return func(f *Filter, e *session.Event) bool { return earliest(e) <= m.ns(f) }, err
}

// A connection is there from its first packet to its last, a transaction from
// its first frame to its last, all else at once.

func latest(e *session.Event) int64 {
	if e.Kind == session.ConnectionEnd {
		return e.Conn.TCP.Last.Time
	}
	return e.At.Time
}

func earliest(e *session.Event) int64 {
	switch e.Kind {
	case session.ConnectionEnd:
		return e.Conn.TCP.First.Time
	case session.TxnSeen:
		return e.Txn.First.Time
	}
	return e.At.Time
}
