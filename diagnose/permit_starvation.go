package diagnose

import (
	"fmt"
	"time"

	"pulsar-dissect/session/dispatch"
)

var permitStarvation = &Rule{
	Name:     "permit-starvation",
	Severity: Warning,
	Title:    "Consumer has no permits while messages wait",
	Meaning: "A broker sends a consumer no more messages than it has permits for, which the client grants by FLOW. " +
		"Messages are stored, the consumer is connected, and the client does not ask for more: its queue is full because the application " +
		"takes nothing out of it, the consumer is paused, or the client has lost count of permits.",
	Advice: "Look at what the application does meanwhile: a receive loop that is blocked or has died, a listener that does not return, " +
		"pause() without resume(). If it is healthy, look for permit-leak.",
	Blind: "Messages stored before the capture began, and by producers that it does not have, are not seen to wait.",
	Follow: func(r *Reporter) {
		slow := map[*dispatch.Consumer]*stretches{}
		r.stalls(func(s *dispatch.Stall) (Finding, bool) { return r.starved(s, slow) })
		r.Dispatch().Watch(dispatch.Watcher{
			Ended: func(c *dispatch.Consumer, _ *dispatch.Verdict) {
				r.slowConsumer(c, slow[c])
				delete(slow, c)
			},
		})
	},
}

// stretches are the times of one consumer without permits that were each too
// short to be told.
type stretches struct {
	count       int
	total       time.Duration
	first, last dispatch.Ref
}

func (r *Reporter) starved(s *dispatch.Stall, slow map[*dispatch.Consumer]*stretches) (f Finding, ok bool) {
	c := s.Consumer
	if s.Cause != dispatch.CausePermits || c.Flows == 0 || !gapless(c.Conn) || !bothWays(c.Conn) {
		return f, false
	}
	d := s.Duration()
	switch {
	case d < r.Thresholds.Starvation && s.Ending == dispatch.Ongoing:
		return f, false
	case d < r.Thresholds.Starvation:
		x := slow[c]
		if x == nil {
			x = &stretches{first: s.Before}
			slow[c] = x
		}
		x.count, x.total, x.last = x.count+1, x.total+d, s.Resumed
		return f, false
	}
	f = Finding{Severity: Warning, Subject: aboutConsumer(c), Evidence: proofs(s.Before, s.Resumed, s.After), Detail: starvedWords(s)}
	if d >= r.Thresholds.StarvationError {
		f.Severity = Error
	}
	return f, true
}

func starvedWords(s *dispatch.Stall) string {
	c := s.Consumer
	text := fmt.Sprintf("%s waited for %s from %s on, while the consumer had %d permits and %s.", waiting(s.Waiting),
		lasting(s.To-s.From), clock(s.From), c.Outstanding(), unacknowledged(s.Unacked))
	if s.Resumed.Known() {
		text = fmt.Sprintf("%s waited for %s from %s on, while the consumer had no permits and %s; a FLOW at %s let them go.", waiting(s.Waiting),
			lasting(s.To-s.From), clock(s.From), unacknowledged(s.Unacked), clock(s.Resumed.Time))
	}
	if n := len(s.Consumers) - 1; n > 0 {
		text += fmt.Sprintf(" %s of the subscription had no permits either.", counted(n, "other consumer"))
	}
	return text + untilEnd[s.Ending]
}

// untilEnd is what is to be said of a stall that no delivery ended.
var untilEnd = map[dispatch.Ending]string{
	dispatch.RunEnd:   " It lasted to the end of the capture.",
	dispatch.Ongoing:  " It goes on.",
	dispatch.Detached: " It lasted until a consumer left.",
	dispatch.Attached: " It lasted until another consumer came.",
}

// waiting says how many entries wait.
func waiting(entries int) string {
	if entries == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", entries)
}

// unacknowledged says how many messages are not acknowledged.
func unacknowledged(messages int64) string {
	if messages == 0 {
		return "nothing unacknowledged"
	}
	return counted(messages, "unacknowledged message")
}

// slowConsumer tells of a consumer that has been without permits often, each
// time for a little.
func (r *Reporter) slowConsumer(c *dispatch.Consumer, x *stretches) {
	if x == nil || x.total < r.Thresholds.Starvation {
		return
	}
	r.Report(Finding{
		Severity: Info, Title: "Consumer is slower than its topic", Subject: aboutConsumer(c), Evidence: proofs(x.first, x.last),
		Detail: fmt.Sprintf("%d times, %s in all, it had no permits while messages waited, and asked for more only then.",
			x.count, lasting(int64(x.total))),
		Advice: "Where its backlog grows, let more consumers share the work, or make processing faster. A larger receiver queue helps only against bursts.",
	})
}
