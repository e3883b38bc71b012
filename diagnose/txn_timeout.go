package diagnose

import (
	"fmt"

	"pulsar-dissect/session"
)

var txnTimeout = &Rule{
	Name:     "txn-timeout",
	Severity: Warning,
	Title:    "Transaction ran out of time",
	Meaning: "The coordinator aborted a transaction that the client had not ended within the time that it had asked for (its time to live). " +
		"What it had written is not delivered, what it had acknowledged is delivered again.",
	Advice: "Make transactions shorter, or give them more time. Look at what the client waited for.",
	Blind: "The coordinator's decision is seen only where the traffic between brokers is in the capture; else it is taken from the time to live. " +
		"An abort before that comes from an administrator.",
	Frames: txnFrames,
	Kinds:  txnKinds,
	Start: func(r *Reporter) Watch {
		t := newTransactions()
		t.ended = func(x *transaction, _ *session.Event) { r.coordinatorEnded(x) }
		t.left = func(x *transaction, e *session.Event) {
			if age := r.now() - x.opened.Time; x.ttl > 0 && age > x.ttl && gapless(e.Conn) {
				r.Warn(x.subject(), fmt.Sprintf("Opened at %s with %s to live and not ended in %s.", clock(x.opened.Time), lasting(x.ttl), lasting(age)), x.opened)
			}
		}
		return t.event
	},
}

// nearly of the time to live must have gone by for its end to be its timeout:
// nine tenths.
func nearly(ttl int64) int64 { return ttl / 10 * 9 }

func (r *Reporter) coordinatorEnded(x *transaction) {
	age := x.at.Time - x.opened.Time
	f := Finding{Severity: Warning, Subject: x.subject(), Evidence: []Evidence{x.opened, x.at},
		Detail: fmt.Sprintf("Opened at %s with %s to live; ended by the coordinator after %s.", clock(x.opened.Time), lasting(x.ttl), lasting(age))}
	if x.ttl == 0 || age < nearly(x.ttl) {
		f.Title = "Transaction was ended behind the client's back"
		f.Advice = "An administrator aborted it, or another client with its number did. Ask who did."
	}
	r.Report(f)
}
