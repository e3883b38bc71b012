package diagnose

import (
	"fmt"

	"pulsar-dissect/decode"
	"pulsar-dissect/session"
)

var txnConflict = &Rule{
	Name:     "txn-conflict",
	Severity: Warning,
	Title:    "Two transactions acknowledge the same message",
	Meaning: "The broker refused an acknowledgement in a transaction, because another transaction that is not ended has acknowledged the message already. " +
		"The second transaction cannot commit.",
	Advice:    "Abort the second one and try again. If it happens often, two consumers process the same messages: look at redeliveries (duplicate-delivery) and ack timeouts.",
	Blind:     "Which transaction holds the message, unless the error names it.",
	Exchanges: []Exchanges{{Results: []session.Result{session.Failed}}},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			if e.Kind == session.ExchangeSeen && e.Exchange.Result == session.Failed && e.Exchange.Error == "TransactionConflict" {
				x := e.Exchange
				r.Warn(about(e), fmt.Sprintf("%s was refused%s.", decode.TypeName(x.Request.Type), quoted(x.Text)), sides(e.Conn, x)...)
			}
		}
	},
}
