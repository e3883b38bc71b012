package diagnose

import (
	"fmt"

	"pulsar-dissect/session/dispatch"
)

var keyBlocked = &Rule{
	Name:     "key-blocked",
	Severity: Warning,
	Title:    "Messages of a key wait for an unacknowledged one",
	Meaning: "On a Key_Shared subscription messages of one key go to one consumer in order. When consumers come or go the key may belong to " +
		"another one, which gets its messages only after the former has acknowledged all that it has of them.",
	Advice: "Acknowledge, give back (negativeAcknowledge) or close the consumer that holds the key. Where order does not matter, allow delivery out of order.",
	Blind:  "Keys are told by the metadata of entries; in a batch that mixes keys that is only one of them.",
	Follow: func(r *Reporter) {
		r.stalls(func(s *dispatch.Stall) (f Finding, ok bool) {
			if s.Cause == dispatch.CauseKey && s.Duration() >= r.Thresholds.Dispatch && followed(s) {
				return keyWaits(s), true
			}
			return f, false
		})
	},
}

func keyWaits(s *dispatch.Stall) Finding {
	oldest := dispatch.Ref{}
	if e := s.Consumer.OldestUnacked(); e != nil {
		oldest = e.Last
	}
	return Finding{Severity: Warning, Subject: aboutConsumer(s.Consumer), Detail: fmt.Sprintf("%s, the first with key %q, waited for %s from %s on, while this consumer had %s of that key "+
		"unacknowledged and others had permits.%s", waiting(s.Waiting), s.Key, lasting(s.To-s.From), clock(s.From), waiting(s.Held), untilEnd[s.Ending]),
		Evidence: proofs(oldest, s.Resumed, s.After)}
}
