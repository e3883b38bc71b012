package diagnose

import (
	"fmt"

	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

var ackIllegal = &Rule{
	Name:     "ack-illegal",
	Severity: Warning,
	Title:    "Acknowledgement that the protocol does not allow",
	Meaning: "A cumulative acknowledgement on a Shared or Key_Shared subscription, which brokers refuse or ignore, so that all comes again; " +
		"or one of a message that the subscription never got, which may skip messages that nobody has processed.",
	Advice:    "On shared subscriptions acknowledge one by one, or several at once in a list. For the other: look for an application that mixes up message ids of topics or subscriptions.",
	Blind:     "Unknown ids are told of only where all connections of the client are in the capture from their start to their end, and no SEEK came.",
	Lint:      true,
	Frames:    []pb.BaseCommand_Type{pb.BaseCommand_ACK, pb.BaseCommand_SEEK},
	Exchanges: exchangesWith(session.Ack, session.OrphanResponse),
	Kinds:     []session.Kind{session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		r.Dispatch()
		w := &unknownAcks{partial: partialHosts{}}
		return func(e *session.Event) {
			switch {
			case e.Kind == session.RunEnd:
				w.tell(r)
			case e.Kind == session.ConnectionEnd:
				w.partial.note(e.Conn)
			case e.Kind == session.ExchangeSeen:
				w.exchange(r, e)
			case e.Frame.Is(int32(pb.BaseCommand_ACK)):
				r.cumulativeOnShared(e)
			}
		}
	},
}

func (r *Reporter) cumulativeOnShared(e *session.Event) {
	kind, _ := e.Frame.Uint(field.CommandAckAckType)
	shared := e.Consumer != nil && (e.Consumer.Type == "Shared" || e.Consumer.Type == "Key_Shared")
	if kind == uint64(pb.CommandAck_Cumulative) && shared {
		id, _ := session.IDOf(e.Frame, field.CommandAckMessageId)
		r.Report(Finding{Severity: Warning, Title: "Cumulative acknowledgement on a shared subscription", Subject: about(e),
			Detail:   fmt.Sprintf("ACK of all up to %d:%d on a subscription of type %s.", id.Ledger, id.Entry, e.Consumer.Type),
			Evidence: []Evidence{here(e)}})
	}
}

// unknownAcks are ACKs of what was not delivered. Whether the capture has all
// that the client got is known only at the end.
type unknownAcks struct {
	partial partialHosts
	found   []unknownAck
}

type unknownAck struct {
	host    string
	finding Finding
}

// unknownAcksKept bounds them: the first are as good as all.
const unknownAcksKept = 100

func (w *unknownAcks) exchange(r *Reporter, e *session.Event) {
	x := e.Exchange
	if x.Kind != session.Ack || x.Result != session.OrphanResponse || x.Cumulative || len(w.found) >= unknownAcksKept {
		return
	}
	c := r.Dispatch().Of(e)
	p := dispatch.Position{Ledger: x.ID.Ledger, Entry: x.ID.Entry}
	if c == nil || !c.Known || c.Sub == nil || c.Sub.Sought.Known() || c.Sub.Forgotten > 0 || r.Dispatch().Delivered(c.Sub, p) != nil {
		return
	}
	w.found = append(w.found, unknownAck{clientHost(e.Conn), Finding{Severity: Warning, Title: "Acknowledgement of a message that was never delivered",
		Subject: about(e), Detail: fmt.Sprintf("ACK of %s, which the subscription has not got.", p), Evidence: sides(e.Conn, x)}})
}

func (w *unknownAcks) tell(r *Reporter) {
	for _, u := range w.found {
		if !w.partial[u.host] {
			r.Report(u.finding)
		}
	}
}
