package dispatch

import (
	"time"

	"pulsar-dissect/session"
)

// Clock is the time of a run, for what is judged by how long it lasts. It goes
// forward with the packets. Where they go far back, the time before was wrong, or
// somebody has set the clock of the capture: it goes back with them, since else
// nothing would get old until that time is reached again.
type Clock struct {
	now   int64  // ns since the Unix epoch
	order uint64 // of the latest frame
	wrong int64  // from this on times of events without a frame are wrong; 0: none is known to be
}

// outOfOrder is how far back packets may go that are only out of order: that long
// may one be held up by a hole in front of it.
const outOfOrder = 60 * time.Second

// See takes the time of an event, and says whether it has gone back. Those without
// a frame may be told later than they were, so that they set nothing back.
func (c *Clock) See(e *session.Event) (back bool) {
	at := e.At.Time
	switch {
	case e.Kind != session.FrameSeen && c.wrong != 0 && at >= c.wrong:
		return false
	case e.Kind == session.FrameSeen && e.At.Order > c.order && !e.At.TimeUnknown:
		c.order = e.At.Order
		if c.now-at > int64(outOfOrder) {
			c.wrong, c.now, back = c.now-int64(outOfOrder), at, true
		}
	}
	c.now = max(c.now, at)
	return back
}

// Now is the time, ns since the Unix epoch.
func (c *Clock) Now() int64 { return c.now }

// Advance sets the clock to a time, ns since the Unix epoch, up to which nothing
// has come. Who does so keeps a copy, and puts it back before the next event.
func (c *Clock) Advance(now int64) { c.now = max(c.now, now) }

// setsBackKept bounds how often what was kept is looked through because the clock
// went back: a capture may have any times.
const setsBackKept = 1000

// setBack takes what was noted at a wrong time for noted now.
func (t *Tracker) setBack() {
	if t.setsBack++; t.setsBack > setsBackKept {
		return
	}
	for _, x := range t.conns {
		for _, c := range x.consumers {
			t.notAfter(&c.NoPermits.From)
			t.notAfter(&c.Since)
		}
	}
	for _, s := range t.subs {
		t.notAfter(&s.settled)
		t.notAfter(&s.progress.Time)
		t.notAfter(&s.acks.Time)
		t.notAfter(&s.acts)
		for _, r := range [...]*owedRun{&s.owed.straight, &s.owed.others} {
			for i := range r.list {
				t.notAfter(&r.list[i].since)
			}
		}
	}
}

func (c *Clock) notAfter(kept *int64) { *kept = min(*kept, c.now) }
