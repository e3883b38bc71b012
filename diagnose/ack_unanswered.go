package diagnose

import (
	"fmt"

	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var ackUnanswered = &Rule{
	Name:      "ack-unanswered",
	Severity:  Warning,
	Title:     "ACK that asks for a response got none",
	Meaning:   "The client wants to know whether the broker took the acknowledgement (request_id), and was never told. Its application's acknowledge call waits, or fails.",
	Advice:    "Look at what ended the connection, and at the broker's cursor storage at that time. Brokers before 2.8 do not answer.",
	Blind:     "Whether the broker took it all the same. At the end of the capture the answer may merely be missing.",
	Exchanges: exchangesWith(session.Request, session.Unanswered),
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			if e.Kind != session.ExchangeSeen || e.Exchange.Kind != session.Request || e.Exchange.Result != session.Unanswered {
				return
			}
			x := e.Exchange
			if pb.BaseCommand_Type(x.Request.Type) != pb.BaseCommand_ACK || !gapless(e.Conn) || !bothWays(e.Conn) {
				return
			}
			f := Finding{Severity: Warning, Subject: about(e), Evidence: sides(e.Conn, x),
				Detail: fmt.Sprintf("ACK with request id %d was not answered in the %s until the connection ended (%s).", x.RequestID,
					lasting(e.Conn.TCP.Last.Time-x.Request.Time), x.Why)}
			if x.Why == "capture_end" {
				f.Severity = Info
			}
			r.Report(f)
		}
	},
}
