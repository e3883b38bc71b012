package diagnose

import (
	"fmt"

	"pulsar-dissect/session"
)

var consumerRefused = &Rule{
	Name:      "consumer-refused",
	Severity:  Error,
	Title:     "Broker refused a consumer",
	Meaning:   "SUBSCRIBE was answered by an error that does not tell of another consumer (consumer-busy) nor of the schema (schema-incompatible).",
	Advice:    "Look up the error code: rights, topic or subscription not found, a broker that is not ready (clients try again), limits of namespace or topic.",
	Blind:     "Whether the client tried again elsewhere with success.",
	Exchanges: exchangesWith(session.Request, session.Failed),
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			x := refusedSubscribe(e)
			if x == nil || takenCodes[x.Error] || x.Error == incompatibleSchema {
				return
			}
			f := Finding{Severity: Error, Title: "Broker refused a consumer: " + x.Error, Advice: codeAdvice[x.Error], Subject: about(e), Evidence: sides(e.Conn, x),
				Detail: fmt.Sprintf("SUBSCRIBE was refused: %s%s.", x.Error, quoted(x.Text))}
			if x.Error == "ServiceNotReady" {
				f.Severity = Warning
			}
			r.Report(f)
		}
	},
}
