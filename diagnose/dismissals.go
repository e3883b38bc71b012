package diagnose

import (
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// dismissal is a CLOSE_PRODUCER or CLOSE_CONSUMER that a broker sent.
type dismissal struct {
	key      string // topic and name, over all connections
	subject  Subject
	what     string // producer or consumer
	named    bool   // its name is known, so that it is known when it comes back
	broker   string // that closed
	assigned string // service URL of the broker that has the topic now, or empty
	evidence Evidence
}

// dismissalOf reads a CLOSE_PRODUCER or CLOSE_CONSUMER of a broker; false for
// that of a client, and for producers and consumers that are not known.
func dismissalOf(e *session.Event) (c dismissal, ok bool) {
	f := e.Frame
	if e.Direction != decode.ServerToClient {
		return c, false
	}
	c = dismissal{subject: about(e), broker: server(e.Conn), evidence: here(e)}
	switch {
	case f.Is(int32(pb.BaseCommand_CLOSE_PRODUCER)) && e.Producer != nil && e.Producer.Topic != "":
		c.what, c.key, c.named = "producer", producerNameKey(e.Producer), e.Producer.Name != ""
		c.assigned = first(f.Text(field.CommandCloseProducerAssignedBrokerServiceUrl), f.Text(field.CommandCloseProducerAssignedBrokerServiceUrlTls))
	case f.Is(int32(pb.BaseCommand_CLOSE_CONSUMER)) && e.Consumer != nil && e.Consumer.Topic != "":
		c.what, c.key, c.named = "consumer", consumerNameKey(e.Consumer), e.Consumer.Name != ""
		c.assigned = first(f.Text(field.CommandCloseConsumerAssignedBrokerServiceUrl), f.Text(field.CommandCloseConsumerAssignedBrokerServiceUrlTls))
	default:
		return c, false
	}
	c.subject.Conn, c.subject.ConnID = "", -1
	return c, true
}

func producerNameKey(p *session.Producer) string {
	return strings.Join([]string{"p", p.Topic, p.Name}, "\x00")
}

func consumerNameKey(c *session.Consumer) string {
	return strings.Join([]string{"c", c.Topic, c.Subscription, c.Name}, "\x00")
}

func first(texts ...[]byte) string {
	for _, t := range texts {
		if len(t) > 0 {
			return string(t)
		}
	}
	return ""
}

// to says where the topic is now, as far as the broker said.
func (c *dismissal) to() string {
	if c.assigned == "" {
		return ""
	}
	return ", which now is at " + c.assigned
}
