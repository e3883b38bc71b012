package diagnose

import (
	"fmt"
	"strings"

	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var sequenceViolation = &Rule{
	Name:     "sequence-violation",
	Severity: Warning,
	Title:    "Sequence ids out of order",
	Meaning: "Within one opening of a producer, sequence ids grow from SEND to SEND, and receipts come in the order of the SENDs. A client closes the " +
		"connection over a receipt that it does not expect; deduplication drops what goes back.",
	Advice: "SENDs out of order: the client's fault, or that of an application that sets ids itself. Receipts out of order or without a SEND: the broker's, or " +
		"two producers use one producer id.",
	Blind:     "Producers that were opened before the capture, and resends after a reconnect, which may go back.",
	Lint:      true,
	Frames:    []pb.BaseCommand_Type{pb.BaseCommand_PRODUCER, pb.BaseCommand_SEND},
	Exchanges: exchangesWith(session.Send, session.OK, session.OrphanResponse),
	Start: func(r *Reporter) Watch {
		w := &sequenceWatch{r: r, openings: newPerProducer[sequence](r)}
		return w.see
	},
}

type sequenceWatch struct {
	r        *Reporter
	openings perProducer[sequence]
}

// sequence is where one opening of a producer stands.
type sequence struct {
	opened  bool // its PRODUCER was seen
	resends bool // it is opened again: it begins with what was sent before
	begun   bool
	last    uint64 // highest id of the last SEND
	sent    session.Ref
	own     bool  // ids did not go up by one: the application sets them
	receipt bool  // one came
	latest  int64 // offset of the SEND that it answered
	got     session.Ref
}

func (w *sequenceWatch) see(e *session.Event) {
	switch {
	case e.Kind == session.ExchangeSeen:
		if e.Producer != nil && whole(e.Conn) {
			w.answer(e)
		}
	case e.Kind != session.FrameSeen || e.Producer == nil:
	case e.Frame.Is(int32(pb.BaseCommand_PRODUCER)):
		w.open(e)
	default:
		if q := w.of(e); q != nil && complete(e.Conn) {
			w.send(e, q)
		}
	}
}

func (w *sequenceWatch) open(e *session.Event) {
	epoch, _ := e.Frame.Uint(field.CommandProducerEpoch)
	*w.openings.of(e) = sequence{opened: true, resends: epoch > 0}
}

// of gives the opening of a producer whose order counts.
func (w *sequenceWatch) of(e *session.Event) *sequence {
	q := w.openings.at(e.Producer)
	if q == nil || !q.opened || q.resends || strings.HasPrefix(e.Producer.Name, "pulsar.repl") {
		return nil
	}
	return q
}

func (w *sequenceWatch) send(e *session.Event, q *sequence) {
	f := e.Frame
	if chunk, _ := f.Uint(field.CommandSendIsChunk); chunk != 0 {
		id, _ := f.Uint(field.CommandSendSequenceId)
		q.begun, q.last, q.sent = true, max(q.last, id), thisFrame(e)
		return
	}
	id, _ := f.Uint(field.CommandSendSequenceId)
	highest, ok := f.Uint(field.CommandSendHighestSequenceId)
	if !ok || highest < id {
		highest = id
	}
	if q.begun && id <= q.last {
		w.report(e, q, "Sequence ids of SENDs go back", fmt.Sprintf("SEND with sequence id %d came after one with %d.", id, q.last), frame(e.Conn, &q.sent), here(e))
	}
	q.own = q.own || q.begun && id != q.last+1 || !q.begun && id != 0
	q.begun, q.last, q.sent = true, highest, thisFrame(e)
}

func (w *sequenceWatch) answer(e *session.Event) {
	x, q := e.Exchange, w.of(e)
	if q == nil || x.Response.Type != int32(pb.BaseCommand_SEND_RECEIPT) {
		return
	}
	switch {
	case x.Result == session.OrphanResponse:
		w.report(e, q, "Receipt for a SEND that was not sent", fmt.Sprintf("SEND_RECEIPT for sequence id %d answers no open SEND.", x.SequenceID), frame(e.Conn, &x.Response))
	case deduplicated(x):
	case q.receipt && x.Request.Offset < q.latest:
		w.report(e, q, "Receipts out of order", fmt.Sprintf("SEND_RECEIPT for sequence id %d came after that for a later SEND.", x.SequenceID), frame(e.Conn, &q.got), frame(e.Conn, &x.Response))
	default:
		q.receipt, q.latest, q.got = true, x.Request.Offset, x.Response
	}
}

func (w *sequenceWatch) report(e *session.Event, q *sequence, title, detail string, evidence ...Evidence) {
	f := Finding{Severity: Warning, Title: title, Subject: about(e), Detail: detail, Evidence: evidence}
	if q.own {
		f.Severity = Info
		f.Detail += " The application sets ids itself."
	}
	w.r.Report(f)
}
