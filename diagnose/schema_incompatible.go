package diagnose

import (
	"fmt"

	"pulsar-dissect/decode"
	"pulsar-dissect/session"
)

// incompatibleSchema is the error of a schema check.
const incompatibleSchema = "IncompatibleSchema"

var schemaIncompatible = &Rule{
	Name:     "schema-incompatible",
	Severity: Error,
	Title:    "Schema does not fit that of the topic",
	Meaning: "The broker refused a producer, a consumer or a new version of the schema: by the compatibility strategy of the topic, the schema does not fit " +
		"those that the topic has.",
	Advice: "Compare the schema with the topic's (pulsar-admin schemas get). Change it so that it is compatible, upload it beforehand in the order that the strategy asks for, " +
		"or change the strategy.",
	Blind:     "The strategy. The schemas themselves are in the frames.",
	Exchanges: []Exchanges{{Results: []session.Result{session.Failed}}},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			if e.Kind != session.ExchangeSeen || e.Exchange.Result != session.Failed || e.Exchange.Error != incompatibleSchema {
				return
			}
			x := e.Exchange
			name := decode.TypeName(x.Request.Type)
			r.Report(Finding{Severity: Error, Title: "Schema does not fit that of the topic: " + name + " refused", Subject: aboutRequest(e),
				Detail: fmt.Sprintf("%s was refused%s.", name, quoted(x.Text)), Evidence: sides(e.Conn, x)})
		}
	},
}

// aboutRequest is the subject of a request, which may name only a topic.
func aboutRequest(e *session.Event) Subject {
	s := about(e)
	if s.Topic == "" {
		s.Topic = e.Exchange.Topic
	}
	return s
}
