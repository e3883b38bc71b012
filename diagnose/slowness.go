package diagnose

import (
	"fmt"
	"time"

	"pulsar-dissect/session"
)

// slowness counts how long things took, to tell whether too many took too long.
type slowness struct {
	count, over int // over: longer than Thresholds.SlowQuantile
	worst       time.Duration
	from, at    Evidence // of the worst
}

// add counts an exchange, or a part of it, that took d.
func (s *slowness) add(t *Thresholds, d time.Duration, e *session.Event) {
	s.count++
	if d > t.SlowQuantile {
		s.over++
	}
	if d <= s.worst {
		return
	}
	all := sides(e.Conn, e.Exchange)
	s.worst, s.from, s.at = d, all[0], all[len(all)-1]
}

// slow says whether one took far too long, or more than one of a hundred too
// long.
func (s *slowness) slow(t *Thresholds) bool {
	return s.worst > t.SlowOne || s.count >= t.SlowQuantileCount && s.over*100 > s.count
}

// words are like "3 of 120 took over 1 s, the slowest 2.3 s,".
func (s *slowness) words(t *Thresholds) string {
	return fmt.Sprintf("%d of %d took over %s, the slowest %s,", s.over, s.count, lasting(int64(t.SlowQuantile)), lasting(int64(s.worst)))
}

// evidence are the frames of the slowest.
func (s *slowness) evidence() []Evidence { return []Evidence{s.from, s.at} }

// latency is the time of an exchange. There is none for one without both sides,
// nor where the capture's clock stepped back.
func latency(x *session.Exchange) (time.Duration, bool) {
	ns, ok := x.Latency()
	return time.Duration(ns), ok && ns >= 0
}
