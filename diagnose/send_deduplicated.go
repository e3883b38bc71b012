package diagnose

import (
	"fmt"

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
	Blind:     "What was sent before the capture began.",
	Exchanges: exchangesWith(session.Send, session.OK),
	Start: func(r *Reporter) Watch {
		hs := r.histories()
		return func(e *session.Event) {
			if e.Kind == session.ExchangeSeen && e.Exchange.Kind == session.Send && e.Exchange.Result == session.OK && deduplicated(e.Exchange) {
				dropped(r, e, hs.now)
			}
		}
	},
}

// dropped tells of a receipt without a place for a SEND, nil if it is not known.
func dropped(r *Reporter, e *session.Event, t *try) {
	x := e.Exchange
	f := Finding{Severity: Info, Subject: about(e), Evidence: sides(e.Conn, x)}
	f.Subject.Conn, f.Subject.ConnID = "", -1
	f.Detail = fmt.Sprintf("The broker answered SEND with sequence id %d with the id -1:-1: it has that sequence id of this producer, or a higher one, already", x.SequenceID)
	switch {
	case t != nil && t.earlier != nil:
		f.Detail += fmt.Sprintf("; it was sent before at %s (packet %d).", clock(t.earlier.Time), t.earlier.Packet)
		f.Evidence = append(f.Evidence, *t.earlier)
	case e.Producer == nil || e.Producer.Opening() == 0 || !gapless(e.Conn):
		f.Detail += "; what was sent before is not in the capture."
	default:
		f.Severity, f.Title = Warning, "Broker dropped a SEND that was not sent before"
		f.Detail += ". The capture shows no earlier SEND with it: if there was none, the message is lost."
	}
	r.Report(f)
}
