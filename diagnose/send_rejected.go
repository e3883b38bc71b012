package diagnose

import (
	"fmt"

	"pulsar-dissect/session"
)

var sendRejected = &Rule{
	Name:     "send-rejected",
	Severity: Error,
	Title:    "SEND_ERROR: the broker did not take a message",
	Meaning: "The broker refused the message. Clients send it again after PersistenceError and TopicTerminatedError, once the producer is open again; after " +
		"ChecksumError and NotAllowedError they fail it.",
	Advice: "PersistenceError: bookies are down, full or too few for the ensemble. NotAllowedError: the message is larger than the topic allows. ChecksumError: " +
		"see checksum-bad. Quota: consume the backlog or raise the quota. TopicTerminatedError: the topic takes no more messages.",
	Blind:     "What the application did about it.",
	Exchanges: exchangesWith(session.Send, session.Failed, session.OrphanResponse),
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			x := e.Exchange
			if e.Kind != session.ExchangeSeen || x.Kind != session.Send || !x.HasResponse || x.Error == "" || toldElsewhere[x.Error] {
				return
			}
			r.Report(Finding{Severity: Error, Title: "SEND refused: " + x.Error, Advice: codeAdvice[x.Error], Subject: about(e), Evidence: sides(e.Conn, x),
				Detail: fmt.Sprintf("%s refused the SEND with sequence id %d with %s%s.", server(e.Conn), x.SequenceID, x.Error, quoted(x.Text))})
		}
	},
}
