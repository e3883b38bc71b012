package diagnose

import (
	"fmt"

	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var sendDeduplicated = &Rule{
	Name:     "send-deduplicated",
	Severity: Warning,
	Title:    "Broker dropped a SEND as a duplicate",
	Meaning: "With deduplication on, a broker drops what has a sequence id not above the highest one that it has stored for the producer's name, and " +
		"answers with a receipt that names no place (-1:-1). For a message sent again that is right; a new message with an old id is lost without an error.",
	Advice: "If the messages were not sent before: let ids of the application go on from last_sequence_id of PRODUCER_SUCCESS, and let no two producers " +
		"share a name.",
	Blind:  "What was sent before the capture began.",
	Frames: []pb.BaseCommand_Type{pb.BaseCommand_SEND},
	Kinds:  []session.Kind{session.ExchangeSeen},
	Start: func(r *Reporter) Watch {
		w := &dedupWatch{r: r, histories: newHistories(), before: map[*try]*try{}}
		return w.see
	},
}

type dedupWatch struct {
	r         *Reporter
	histories *histories
	before    map[*try]*try // open SENDs that had been sent before
}

func (w *dedupWatch) see(e *session.Event) {
	switch e.Kind {
	case session.FrameSeen:
		if _, now, before := w.histories.send(e); before != nil && len(w.before) < sendsRemembered {
			w.before[now] = before
		}
	case session.ExchangeSeen:
		if x := e.Exchange; x.Kind == session.Send && x.HasRequest {
			_, t := w.histories.answered(e)
			before := w.before[t]
			delete(w.before, t)
			if x.Result == session.OK && deduplicated(x) {
				w.dropped(e, before)
			}
		}
	}
}

func (w *dedupWatch) dropped(e *session.Event, before *try) {
	x := e.Exchange
	f := Finding{Severity: Info, Subject: about(e), Evidence: sides(e.Conn, x)}
	f.Subject.Conn, f.Subject.ConnID = "", -1
	f.Detail = fmt.Sprintf("The broker answered SEND with sequence id %d with the id -1:-1: it has that sequence id of this producer, or a higher one, already", x.SequenceID)
	switch {
	case before != nil:
		f.Detail += fmt.Sprintf("; it was sent before at %s (packet %d).", clock(before.evidence.Time), before.evidence.Packet)
		f.Evidence = append(f.Evidence, before.evidence)
	case e.Producer == nil || e.Producer.Opening() == 0:
		f.Detail += "; what was sent before is not in the capture."
	default:
		f.Severity, f.Title = Warning, "Broker dropped a SEND that was not sent before"
		f.Detail += ". The capture shows no earlier SEND with it: if there was none, the message is lost."
	}
	w.r.Report(f)
}
