package dispatch

import (
	"slices"
	"time"
)

// standings are the subscriptions whose stalls may have to be told while they go
// on.
type standings struct {
	waiting []*Subscription
	looked  int64 // ns since the Unix epoch
}

// lookEvery is how often they are looked at, of packet time.
const lookEvery = time.Second

// wait takes in a subscription that waits for an entry.
func (t *Tracker) wait(s *Subscription) {
	if len(t.stalling) > 0 && !s.listed {
		s.listed = true
		t.standings.waiting = append(t.standings.waiting, s)
	}
}

// standing tells of stalls that go on, when it is time.
func (t *Tracker) standing() {
	if len(t.standings.waiting) == 0 || t.now >= t.looked && t.now-t.looked < int64(lookEvery) {
		return
	}
	t.looked = t.now
	t.standings.waiting = slices.DeleteFunc(t.standings.waiting, func(s *Subscription) bool {
		s.listed = s.owed.len() > 0
		return !s.listed
	})
	t.tellStanding()
}

func (t *Tracker) tellStanding() {
	for _, s := range t.standings.waiting {
		from, stalled := s.stallFrom()
		if !stalled || t.now-from < int64(lookEvery) || slices.ContainsFunc(s.attached, func(c *Consumer) bool { return closedConn(c.Conn) }) {
			continue
		}
		x := t.stall(s, Span{from, t.now}, Ongoing, Ref{})
		for _, f := range t.stalling {
			f(&x)
		}
	}
}

// AsOf has the tracker looked at as it stands at a time, ns since the Unix epoch,
// up to which nothing has come. It stays as it was.
func (t *Tracker) AsOf(now int64, look func()) {
	was := t.Clock
	t.Advance(now)
	look()
	t.Clock = was
}

// Idle tells of stalls that go on at such a time.
func (t *Tracker) Idle(now int64) { t.AsOf(now, t.tellStanding) }
