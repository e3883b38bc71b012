package diagnose

import (
	"fmt"

	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

var ackWholeEntry = &Rule{
	Name:     "ack-whole-entry",
	Severity: Info,
	Title:    "One message of a batch is acknowledged, the broker takes it for the whole batch",
	Meaning: "The ACK names a message of a batch by batch_index, but has no ack_set, and a broker looks only at that: all messages of the entry " +
		"are acknowledged. If the application then fails on another one of them, it is lost: asking for redelivery brings nothing.",
	Advice: "Some clients (Rust, pulsar-flex) always do this. Acknowledge only when the last message of a batch was processed, or publish without batching.",
	Blind:  "Whether the application had processed the other messages.",
	Lint:   true,
	Frames: []pb.BaseCommand_Type{pb.BaseCommand_ACK},
	Start: func(r *Reporter) Watch {
		r.Dispatch().Watch(dispatch.Watcher{Returned: r.askedInVain})
		return func(e *session.Event) {
			if e.Kind == session.FrameSeen && e.Consumer != nil {
				r.namesOneOfBatch(e)
			}
		}
	},
}

func (r *Reporter) namesOneOfBatch(e *session.Event) {
	c := r.Dispatch().Of(e)
	kind, _ := e.Frame.Uint(field.CommandAckAckType)
	if c == nil || c.Sub == nil || kind != uint64(pb.CommandAck_Individual) {
		return
	}
	w := &e.Frame.Base
	for i := range w.Each(e.Frame.Sub, field.CommandAckMessageId) {
		index, ok := w.Int32(i, field.MessageIdDataBatchIndex)
		if !ok || index < 0 || w.Find(i, field.MessageIdDataAckSet) >= 0 {
			continue
		}
		p := dispatch.Position{}
		p.Ledger, _ = w.Uint(i, field.MessageIdDataLedgerId)
		p.Entry, _ = w.Uint(i, field.MessageIdDataEntryId)
		if x := r.Dispatch().Delivered(c.Sub, p); x != nil && x.Count > 1 {
			r.Warn(aboutConsumer(c), fmt.Sprintf("ACK of message %d of %s, a batch of %d, without ack_set.", index, p, x.Count), append(proofs(x.Last), here(e))...)
		}
	}
}

// askedInVain tells of a client that asks for what it has acknowledged.
func (r *Reporter) askedInVain(x *dispatch.Return) {
	for _, e := range x.Acked {
		if e.Count < 2 {
			continue
		}
		r.Report(Finding{Severity: Warning, Title: "Redelivery asked for a batch that is acknowledged", Subject: aboutConsumer(x.Consumer),
			Detail: fmt.Sprintf("%s, a batch of %d, was acknowledged whole at %s; at %s the consumer asks for it again. Nothing will come: what the application "+
				"could not process of it is lost to it.", e.Position, e.Count, clock(e.End.Time), clock(x.Frame.Time)), Evidence: proofs(e.Last, e.End, x.Frame)})
	}
}
