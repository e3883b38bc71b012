package diagnose

import (
	"fmt"
	"time"

	"pulsar-dissect/session"
)

var sendUnanswered = &Rule{
	Name:     "send-unanswered",
	Severity: Warning,
	Title:    "SEND got neither a receipt nor an error",
	Meaning:  "The broker never said whether it stored the message. The client sends it again after a reconnect, or fails it at its send timeout.",
	Advice:   "Look at what ended the connection, and at the broker's storage at that time.",
	Blind:    "Whether the message was stored all the same. At the end of the capture the answer may merely be missing.",
	Kinds:    []session.Kind{session.ExchangeSeen},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			if e.Kind != session.ExchangeSeen || e.Exchange.Kind != session.Send || e.Exchange.Result != session.Unanswered {
				return
			}
			if !gapless(e.Conn) || !bothWays(e.Conn) {
				return
			}
			x := e.Exchange
			age := time.Duration(e.Conn.TCP.Last.Time - x.Request.Time)
			f := Finding{Severity: Warning, Subject: about(e), Evidence: sides(e.Conn, x),
				Detail: fmt.Sprintf("SEND with sequence id %d was not answered in the %v until the connection ended (%s).", x.SequenceID, age.Round(time.Millisecond), x.Why)}
			if x.Why == "capture_end" {
				f.Severity = Info
			}
			r.Report(f)
		}
	},
}
