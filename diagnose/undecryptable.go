package diagnose

import (
	"fmt"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

var undecryptable = &Rule{
	Name:     "undecryptable",
	Severity: Warning,
	Title:    "Consumer cannot decrypt its messages",
	Meaning: "Messages are encrypted end to end, and the consumer lacks the private key: it throws them away (an ACK with DecryptionError), or keeps them back and " +
		"asks for them again, or does nothing, as its crypto failure action says (DISCARD, FAIL).",
	Advice: "Give the consumer a key reader with a private key of one of the recipients named in the messages, or do not let it subscribe. Messages that were thrown away are gone " +
		"for this subscription; a seek brings them back.",
	Blind:  "Consumers that take the encrypted bytes as they are (CONSUME) look like those that can decrypt. That one gives all back or never acknowledges may have other reasons.",
	Frames: []pb.BaseCommand_Type{pb.BaseCommand_ACK, pb.BaseCommand_MESSAGE},
	Start: func(r *Reporter) Watch {
		w := &sealed{Reporter: r, got: map[*dispatch.Consumer]*sealedCount{}}
		r.Dispatch().Watch(dispatch.Watcher{Returned: w.returned, Ended: w.ended})
		return func(e *session.Event) {
			switch {
			case e.Kind != session.FrameSeen || e.Consumer == nil:
			case e.Frame.Is(int32(pb.BaseCommand_ACK)):
				w.discarded(e)
			case e.Frame.HasMetadata:
				w.message(e)
			}
		}
	},
}

// sealedCount is what a consumer got.
type sealedCount struct {
	encrypted, plain int // entries
	given            int // given back
	discards         int
	last             Evidence
}

type sealed struct {
	*Reporter
	got map[*dispatch.Consumer]*sealedCount
}

func (w *sealed) of(c *dispatch.Consumer) *sealedCount {
	x := w.got[c]
	if x == nil {
		x = &sealedCount{}
		w.got[c] = x
	}
	return x
}

func (w *sealed) message(e *session.Event) {
	encrypted := e.Frame.Metadata.Find(wire.Top, field.MessageMetadataEncryptionKeys) >= 0
	if !encrypted && len(w.got) == 0 {
		return
	}
	c := w.Dispatch().Of(e)
	if c == nil || !encrypted && w.got[c] == nil {
		return
	}
	x := w.of(c)
	if !encrypted {
		x.plain++
		return
	}
	x.encrypted++
	x.last = here(e)
}

func (w *sealed) discarded(e *session.Event) {
	reason, ok := e.Frame.Uint(field.CommandAckValidationError)
	c := w.Dispatch().Of(e)
	if !ok || reason != uint64(pb.CommandAck_DecryptionError) || c == nil {
		return
	}
	w.of(c).discards++
	id, _ := session.IDOf(e.Frame, field.CommandAckMessageId)
	w.Report(Finding{Severity: Warning, Title: "Consumer threw away what it cannot decrypt", Subject: about(e), Evidence: []Evidence{here(e)},
		Detail: fmt.Sprintf("ACK of %d:%d with validation error DecryptionError.", id.Ledger, id.Entry)})
}

func (w *sealed) returned(r *dispatch.Return) {
	if x := w.got[r.Consumer]; x != nil {
		x.given += r.Entries
	}
}

// ended judges a consumer that got only encrypted messages and acknowledged
// none.
func (w *sealed) ended(c *dispatch.Consumer, v *dispatch.Verdict) {
	x := w.got[c]
	delete(w.got, c)
	if x == nil || x.plain > 0 || x.discards > 0 || c.Acked > 0 || !c.Known || v.At-c.LastDelivery.Time < stillComing || !gapless(c.Conn) {
		return
	}
	f := Finding{Severity: Info, Title: "Consumer acknowledges none of its encrypted messages", Subject: aboutConsumer(c), Evidence: []Evidence{x.last},
		Detail: fmt.Sprintf("It got %d encrypted entries and acknowledged none; it may lack the key.", x.encrypted)}
	if x.given > 0 {
		f.Severity = Warning
		f.Detail = fmt.Sprintf("It got %d encrypted entries, acknowledged none and gave %d back; it may lack the key.", x.encrypted, x.given)
	}
	w.Report(f)
}
