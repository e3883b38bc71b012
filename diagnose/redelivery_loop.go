package diagnose

import (
	"fmt"

	"pulsar-dissect/session/dispatch"
)

var redeliveryLoop = &Rule{
	Name:     "redelivery-loop",
	Severity: Warning,
	Title:    "One message is delivered over and over",
	Meaning: "A message comes again and again and is never acknowledged: the application fails on it each time (a poison message), or does not get to " +
		"acknowledging it in time. On Shared subscriptions others go on meanwhile; on the other types it may hold up all behind it.",
	Advice: "Look at the message with trace, and at the application's errors at these times. A dead letter policy takes such messages out of the way.",
	Blind:  "Deliveries before the capture are known by redelivery_count alone, which begins anew when consumers reconnect.",
	Follow: func(r *Reporter) {
		r.Dispatch().Watch(dispatch.Watcher{Delivered: func(d *dispatch.Delivery) {
			if n := max(int(d.Entry.Deliveries), int(d.Count)+1); n >= r.Thresholds.RedeliveryLoop && d.Again != dispatch.AfterSeek {
				r.loops(d, n)
			}
		}})
	},
}

func (r *Reporter) loops(d *dispatch.Delivery, times int) {
	s := aboutSubscription(d.Consumer.Sub)
	s.MessageID = d.Entry.Position.String()
	f := Finding{Severity: Warning, Subject: s, Evidence: proofs(*d.Entry.First(), d.Before.Last, d.Frame),
		Detail: fmt.Sprintf("Delivered %d times up to %s, redelivery_count %d, the last times to %s.", times, clock(d.Frame.Time), d.Count, called(d.Consumer))}
	if d.Again != dispatch.FirstTime {
		f.Detail += fmt.Sprintf(" The last time it came %s.", repeats[d.Again].why)
	}
	r.Report(f)
}
