package diagnose

import (
	"fmt"

	"pulsar-dissect/session/dispatch"
)

var duplicateDelivery = &Rule{
	Name:     "duplicate-delivery",
	Severity: Warning,
	Title:    "Message delivered again",
	Meaning: "The subscription got an entry that it had got before. Pulsar delivers at least once: whatever is not acknowledged when its consumer " +
		"goes, or is given back, comes again.",
	Advice: "Make processing idempotent; see the cause that is named.",
	Blind:  "Nothing on the wire tells a negative acknowledgement from an ack timeout; it is judged by age and by what else was given back.",
	Follow: func(r *Reporter) {
		r.Dispatch().Watch(dispatch.Watcher{Delivered: func(d *dispatch.Delivery) {
			if d.Again != dispatch.FirstTime {
				r.deliveredAgain(d)
			}
		}})
	},
}

// again is what is said of a cause: one row for each.
type again struct {
	severity Severity
	title    string // goes on behind "Delivered again: "
	why      string // a clause: because, or although
	advice   string
}

var repeats = map[dispatch.Again]again{
	dispatch.AfterNack: {Info, "given back by the consumer", "because the consumer asked to have it again (negative acknowledgement)",
		"Look at what the application could not process."},
	dispatch.AfterTimeout: {Warning, "not acknowledged in time", "because the client asked for it as it does after an ack timeout, when nothing that old is acknowledged",
		"The application is slower than its ack timeout, or forgets to acknowledge. Raise the timeout above the longest processing time, or acknowledge."},
	dispatch.AfterSeek: {Info, "the subscription was set back", "because a SEEK set the subscription back", "Nothing, if the seek was meant."},
	dispatch.AfterPartial: {Info, "its batch was acknowledged in part", "because only part of its batch had been acknowledged",
		"Where whole batches come again, enable batch index acknowledgement on client and broker."},
	dispatch.AfterClose: {Info, "its consumer was closed", "because its consumer was closed without acknowledging it",
		"Acknowledge what was processed before closing a consumer."},
	dispatch.AfterUnload: {Info, "the broker closed its consumer", "because the broker closed its consumer (unload, restart or seek) before it was acknowledged",
		"Nothing: this is how a topic moves."},
	dispatch.AfterTakeOver: {Info, "another consumer has taken over", "because another consumer became the active one before it was acknowledged",
		"Nothing, if the change was meant; see failover-flapping."},
	dispatch.AfterAbort: {Info, "its transaction was aborted", "because it had been acknowledged in a transaction that did not commit",
		"Look at why the transaction was aborted."},
	dispatch.ConnectionLost: {Warning, "the connection was lost before it was acknowledged", "because the connection of its consumer ended before it was acknowledged",
		"Find out why the connection ended (see abrupt-close, keepalive-timeout). What was processed already is processed twice."},
	dispatch.AckLost: {Warning, "its acknowledgement was lost", "because its consumer ended soon after acknowledging it, and the broker does not know of that",
		"Ask for receipts of acknowledgements where that matters, and find out why the connection ended."},
	dispatch.AckedBefore: {Warning, "although it was acknowledged", "although it had been acknowledged",
		"Look at the broker: acknowledgements are lost where a cursor is not stored."},
	dispatch.Unasked: {Warning, "nobody asked for it", "although its consumer still had it and nobody asked", "Look at the broker's log for this subscription."},
}

func (r *Reporter) deliveredAgain(d *dispatch.Delivery) {
	a, was := repeats[d.Again], &d.Before
	f := Finding{Severity: a.severity, Title: "Message delivered again: " + a.title, Advice: a.advice, Subject: aboutConsumer(d.Consumer),
		Evidence: proofs(was.Last, was.End, d.Frame)}
	if !gapless(d.Consumer.Conn) || !gapless(was.Consumer.Conn) || !was.Consumer.Known {
		f.Severity = Info
	}
	whom := ""
	if was.Consumer != d.Consumer {
		whom = " to " + called(was.Consumer)
	}
	f.Detail = fmt.Sprintf("%s came at %s%s and again %s later, %s.", d.Entry.Position, clock(was.Last.Time), whom,
		lasting(d.Frame.Time-was.Last.Time), a.why)
	if d.Count > 0 {
		f.Detail += fmt.Sprintf(" Its redelivery_count is %d.", d.Count)
	}
	r.Report(f)
}
