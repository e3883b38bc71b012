package diagnose

import (
	"fmt"

	"pulsar-dissect/session/dispatch"
)

var keyOrderViolation = &Rule{
	Name:     "key-order-violation",
	Severity: Error,
	Title:    "Messages of one key are with two consumers at once",
	Meaning: "A Key_Shared subscription promises that a key is with one consumer at a time. A message of a key was delivered while another consumer " +
		"still had unacknowledged ones of it: they may be processed out of order.",
	Advice: "Look for a broker version with a known fault in Key_Shared. Where order does not matter, allow delivery out of order.",
	Blind: "Consumers whose connections are not in the capture. Entries that mix keys are judged by the key in their metadata: producers of a " +
		"Key_Shared topic need key-based batching.",
	Follow: func(r *Reporter) {
		r.Dispatch().Watch(dispatch.Watcher{Delivered: func(d *dispatch.Delivery) {
			h := d.Holder
			if h == nil || h.Closed.Known() || h.OutOfOrder || d.Consumer.OutOfOrder || !gapless(h.Conn) || !gapless(d.Consumer.Conn) {
				return
			}
			e := h.OldestUnacked()
			for e != nil && e.Key != d.Entry.Key {
				e = e.Newer()
			}
			if e == nil {
				return
			}
			r.Warn(aboutSubscription(d.Consumer.Sub), fmt.Sprintf("%s with key %q went to %s at %s, while %s had %s of that key unacknowledged, %s among them.",
				d.Entry.Position, d.Entry.Key, called(d.Consumer), clock(d.Frame.Time), called(h), waiting(d.Held), e.Position), proofs(e.Last, d.Frame)...)
		}})
	},
}
