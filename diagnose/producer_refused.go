package diagnose

import (
	"fmt"

	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var producerRefused = &Rule{
	Name:     "producer-refused",
	Severity: Error,
	Title:    "Producer refused",
	Meaning: "The broker did not let the producer open the topic. Clients try again after errors that may pass (quota held, ServiceNotReady, persistence) " +
		"and fail at once after others.",
	Advice: "Look at the code: quota: consume or clear the backlog, or raise the quota. TopicTerminatedError: the topic takes no more messages. " +
		"PersistenceError, MetadataError, ServiceNotReady: bookies, metadata store, or an unload going on. AuthorizationError: grant produce.",
	Blind:     "Why the broker says so; its log tells more.",
	Exchanges: []Exchanges{{Results: []session.Result{session.Failed}}},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			x := e.Exchange
			if e.Kind != session.ExchangeSeen || x.Request.Type != int32(pb.BaseCommand_PRODUCER) || !refusesProducer(x) || toldElsewhere[x.Error] {
				return
			}
			subject := pair(e.Conn) // clients try again, under new ids and on new connections
			subject.Topic = e.Topic()
			r.Report(Finding{Severity: Error, Title: "Producer refused: " + x.Error, Advice: codeAdvice[x.Error], Subject: subject, Evidence: sides(e.Conn, x),
				Detail: fmt.Sprintf("%s refused the PRODUCER of %s %swith %s%s.", server(e.Conn), clientHost(e.Conn), producerInBrackets(e.Producer), x.Error, quoted(x.Text))})
		}
	},
}

func producerInBrackets(p *session.Producer) string {
	if p == nil {
		return ""
	}
	return "(" + producerName(p) + ") "
}

// toldElsewhere are the codes with rules of their own.
var toldElsewhere = map[string]bool{"ProducerBusy": true, "ProducerFenced": true, "IncompatibleSchema": true}
