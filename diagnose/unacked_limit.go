package diagnose

import (
	"fmt"

	"pulsar-dissect/session/dispatch"
)

var unackedLimit = &Rule{
	Name:     "unacked-limit",
	Severity: Warning,
	Title:    "Delivery stopped at the limit of unacknowledged messages",
	Meaning: "Messages are stored and the consumer has permits, but the broker sends none until some of those it has sent are acknowledged. " +
		"Brokers stop at maxUnackedMessagesPerConsumer (50,000 by default) of a consumer and at maxUnackedMessagesPerSubscription (200,000) of all its consumers.",
	Advice: "Look at why the application does not acknowledge: errors that are swallowed, a slow sink, messages that are held in batches. " +
		"Give messages back that cannot be handled (negativeAcknowledge), or set an ack timeout. The limit is that of the broker or of the namespace.",
	Blind: "That the limit is the cause is told by when delivery stops and goes on; the number of the limit is not on the wire.",
	Follow: func(r *Reporter) {
		stopped := map[*dispatch.Consumer]int64{}
		r.stalls(func(s *dispatch.Stall) (Finding, bool) { return r.atLimit(s, stopped) })
		r.Dispatch().Watch(dispatch.Watcher{
			Ended: func(c *dispatch.Consumer, _ *dispatch.Verdict) { delete(stopped, c) },
		})
	},
}

// atLimit tells of a stall that is long, or the second that came at the same
// number of messages. stopped has these numbers.
func (r *Reporter) atLimit(s *dispatch.Stall, stopped map[*dispatch.Consumer]int64) (f Finding, ok bool) {
	if s.Cause != dispatch.CauseUnacked || s.Duration() < r.Thresholds.Dispatch || !followed(s) {
		return f, false
	}
	c := s.Consumer
	again := stopped[c] == s.Unacked
	if s.Ending != dispatch.Ongoing {
		stopped[c] = s.Unacked
	}
	if s.Duration() < r.Thresholds.Starvation && !again {
		return f, false
	}
	text := fmt.Sprintf("With %s and %d permits, the consumer got nothing for %s from %s on, while %s waited.", unacknowledged(s.Unacked),
		c.Outstanding(), lasting(s.To-s.From), clock(s.From), waiting(s.Waiting))
	if s.Resumed.Known() {
		text += fmt.Sprintf(" It went on %s after an ACK.", lasting(s.To-s.Resumed.Time))
	}
	return Finding{Severity: Warning, Subject: aboutConsumer(c), Detail: text + untilEnd[s.Ending],
		Evidence: proofs(s.Before, s.Resumed, s.After)}, true
}

// followed says whether the capture has all of the connections of those who
// could have got messages.
func followed(s *dispatch.Stall) bool {
	for _, c := range s.Consumers {
		if !c.Known || !gapless(c.Conn) || !bothWays(c.Conn) {
			return false
		}
	}
	return len(s.Consumers) > 0
}
