package main

import "time"

// quiet is the time of a live run: that of the latest packet, and what has passed
// since it came.
type quiet struct {
	passes func(now int64) // is told how late it is, ns since the Unix epoch, while no packet is at hand
	latest int64           // time of the latest packet, ns since the Unix epoch; 0: none has come
	since  time.Time       // when it had been looked at; zero: it is not known yet
}

// packet takes the time of a packet, in ns since the Unix epoch. What came until
// the one before has been looked at by then.
func (q *quiet) packet(at int64) {
	if q.latest != 0 {
		q.passes(q.latest)
	}
	q.latest, q.since = at, time.Time{}
}

// idle says that no packet is at hand, and gives how late it is; 0 where that is not
// known.
func (q *quiet) idle() (now int64) {
	if q.latest == 0 {
		return 0
	}
	if q.since.IsZero() {
		q.since = time.Now()
	}
	now = q.latest + time.Since(q.since).Nanoseconds()
	q.passes(now)
	return now
}
