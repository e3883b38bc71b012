package otlp

import (
	"strings"

	common "go.opentelemetry.io/proto/slim/otlp/common/v1"

	"pulsar-dissect/session"
)

// The names of attributes. Those of OpenTelemetry's semantic conventions are used
// where there is one.
const (
	attrSystem        = "messaging.system"
	attrTopic         = "messaging.destination.name"
	attrSubscription  = "messaging.destination.subscription.name"
	attrMessageID     = "messaging.message.id" // ledger:entry
	attrMessages      = "messaging.batch.message_count"
	attrOperation     = "messaging.operation.name"
	attrError         = "error.type"
	attrClient        = "client.address"
	attrClientPort    = "client.port"
	attrServer        = "server.address"
	attrServerPort    = "server.port"
	attrRequestID     = "pulsar.request_id"
	attrProducerID    = "pulsar.producer_id"
	attrSequenceID    = "pulsar.sequence_id"
	attrConsumerID    = "pulsar.consumer_id"
	attrResult        = "pulsar.result"
	attrRedelivered   = "pulsar.redelivery_count"
	attrRequestPacket = "pulsar.packet" // in which it begins
)

// attributes are those of a span.
type attributes []*common.KeyValue

// text adds one; an empty text is none.
func (a *attributes) text(key, value string) {
	if value != "" {
		*a = append(*a, &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: label(value)}}})
	}
}

func (a *attributes) number(key string, value uint64) {
	*a = append(*a, &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: int64(value)}}})
}

// label is text from the wire as protobuf takes it.
func label(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// of adds what an event says of the connection, producer and consumer.
func (a *attributes) of(e *session.Event) {
	a.text(attrSystem, "pulsar")
	if c := e.Conn; c.Name != "" { // else it is not known who is the client
		client, server := c.TCP.Ends[c.Client].AddrPort(), c.TCP.Ends[1-c.Client].AddrPort()
		a.text(attrClient, client.Addr().String())
		a.number(attrClientPort, uint64(client.Port()))
		a.text(attrServer, server.Addr().String())
		a.number(attrServerPort, uint64(server.Port()))
	}
	if p := e.Producer; p != nil {
		a.number(attrProducerID, p.ID)
	}
	if c := e.Consumer; c != nil {
		a.text(attrSubscription, c.Subscription)
		a.number(attrConsumerID, c.ID)
	}
}
