package diagnose

import (
	"fmt"

	"pulsar-dissect/session/dispatch"
)

var dispatchStalled = &Rule{
	Name:     "dispatch-stalled",
	Severity: Warning,
	Title:    "Broker has messages and permits, and delivers nothing",
	Meaning: "New messages were stored, consumers are connected with permits and hold nothing back, and the broker does not deliver. " +
		"Clients can do nothing about it.",
	Advice: "Look at the broker: reads from storage that hang or fail, a cursor that waits, dispatchers that were closed. Unloading the topic often helps.",
	Blind:  "Entry filters, time to live and messages compacted away keep a broker from delivering, too. Delayed messages and those of transactions are not counted.",
	Follow: func(r *Reporter) {
		r.stalls(func(s *dispatch.Stall) (f Finding, ok bool) {
			if (s.Cause == dispatch.CauseUnknown || s.Cause == dispatch.CauseBroker) && s.Fresh > 0 && s.Duration() >= r.Thresholds.Starvation && followed(s) {
				return r.hangs(s)
			}
			return f, false
		})
	},
}

func (r *Reporter) hangs(s *dispatch.Stall) (f Finding, ok bool) {
	permits, c := int64(0), s.Consumers[0]
	for _, x := range s.Consumers {
		if x.Outstanding() <= 0 || x.Unacked() > 0 {
			return f, false
		}
		permits += x.Outstanding()
	}
	f = Finding{Severity: Warning, Subject: aboutConsumer(c), Evidence: proofs(c.Subscribed, c.LastFlow, s.Before, s.After),
		Detail: fmt.Sprintf("%s waited for %s from %s on, while %s had %d permits.%s", waiting(s.Waiting), lasting(s.To-s.From),
			clock(s.From), counted(len(s.Consumers), "consumer"), permits, untilEnd[s.Ending])}
	if s.Duration() >= r.Thresholds.StarvationError {
		f.Severity = Error
	}
	return f, true
}
