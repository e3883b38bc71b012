package diagnose

import (
	"fmt"
	"strings"

	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var consumerBusy = &Rule{
	Name:     "consumer-busy",
	Severity: Error,
	Title:    "Subscription has no place for another consumer",
	Meaning: "The broker refused a consumer: an Exclusive subscription has one already, the subscription is in use with another type, too many consumers are " +
		"connected, or a sticky range of a Key_Shared subscription is taken.",
	Advice: "Find who holds it (named where the capture has it). After a crash the former consumer may hold it until the broker misses its keep-alive. " +
		"Use Failover in place of Exclusive for a stand-by, and one type for all consumers of a subscription.",
	Blind:     "Holders whose SUBSCRIBE is not in the capture.",
	Exchanges: exchangesWith(session.Request, session.Failed),
	Start: func(r *Reporter) Watch {
		r.Dispatch()
		return func(e *session.Event) {
			if x := refusedSubscribe(e); x != nil && takenCodes[x.Error] {
				r.taken(e)
			}
		}
	},
}

// takenCodes are the errors that tell of another consumer.
var takenCodes = map[string]bool{"ConsumerBusy": true, "ConsumerAssignError": true}

// refusedSubscribe gives the exchange of a SUBSCRIBE that the broker refused.
func refusedSubscribe(e *session.Event) *session.Exchange {
	if e.Kind != session.ExchangeSeen || e.Exchange.Kind != session.Request || e.Exchange.Result != session.Failed ||
		pb.BaseCommand_Type(e.Exchange.Request.Type) != pb.BaseCommand_SUBSCRIBE {
		return nil
	}
	return e.Exchange
}

func (r *Reporter) taken(e *session.Event) {
	x := e.Exchange
	f := Finding{Severity: Error, Subject: about(e), Evidence: sides(e.Conn, x),
		Detail: fmt.Sprintf("SUBSCRIBE as %s was refused: %s%s.", e.Consumer.Type, x.Error, quoted(x.Text))}
	holders := []string{}
	for _, c := range r.Dispatch().Attached(e.Conn, e.Consumer) {
		holders = append(holders, fmt.Sprintf("consumer %s of %s (%s), subscribed at %s", c.Name, c.Conn.Name, c.Type, clock(c.Since)))
		f.Evidence = append(f.Evidence, proofs(c.Subscribed)...)
	}
	if len(holders) > 0 {
		f.Detail += " It is held by " + strings.Join(holders[:min(3, len(holders))], "; ") + "."
	}
	r.Report(f)
}
