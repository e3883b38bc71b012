package dispatch_test

import (
	"testing"
	"time"

	"pulsar-dissect/decode"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

func TestClock(t *testing.T) {
	const s, year = int64(time.Second), int64(365 * 24 * time.Hour)
	var c dispatch.Clock
	for i, step := range []struct {
		kind    session.Kind
		order   uint64
		at, now int64
		unknown bool
	}{
		{session.FrameSeen, 1, year, year, false},
		{session.FrameSeen, 2, year - s, year, false},            // out of order
		{session.FrameSeen, 3, 50 * year, 50 * year, false},      // wrong
		{session.ExchangeSeen, 4, year, 50 * year, false},        // of a request long ago
		{session.FrameSeen, 2, year, 50 * year, false},           // of a packet before
		{session.FrameSeen, 5, 0, 50 * year, true},               // without a time
		{session.FrameSeen, 6, year + 2*s, year + 2*s, false},    // right again
		{session.ConnectionEnd, 7, 50 * year, year + 2*s, false}, // of the one with the wrong time
		{session.FrameSeen, 7, year + 3*s, year + 3*s, false},
		{session.ConnectionEnd, 8, 2 * year, 2 * year, false},
	} {
		c.See(&session.Event{Kind: step.kind, At: decode.Position{Order: step.order, Time: step.at, TimeUnknown: step.unknown}})
		if c.Now() != step.now {
			t.Fatalf("step %d: %d, expected %d", i, c.Now(), step.now)
		}
	}
}

// TestStallBehindWrongTime: a packet from the far future does not keep later
// stalls from being seen.
func TestStallBehindWrongTime(t *testing.T) {
	s := newScene()
	c := s.conn(4000)
	c.producer()
	c.subscribe(2, shared, "a")
	c.flow(2, 1)
	s.Time += int64(1000 * time.Hour)
	c.store("", 0)
	c.deliver(2, "", 0)
	s.Time -= int64(1000 * time.Hour)
	c.store("", 1, 2)
	s.wait(2 * time.Second)
	c.flow(2, 3)
	c.deliver(2, "", 1)
	var last dispatch.Stall
	var causes []dispatch.Cause
	follow(t, wiremake.Overwriting(s.Source()), dispatch.Limits{}, dispatch.Watcher{Stalled: func(x *dispatch.Stall) { last, causes = *x, append(causes, x.Cause) }})
	if d := last.Duration(); len(causes) != 1 || last.Cause != dispatch.CausePermits || d < 2*time.Second || d > 3*time.Second {
		t.Errorf("causes %v, the last for %v", causes, d)
	}
}
