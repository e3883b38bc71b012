package filter

import (
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/session"
)

type nameOf = protoreflect.Name

// topicFields are the commands that name a topic themselves, such as LOOKUP.
var topicFields = fieldsNamed("topic")

func parseTopic(value string) (predicate, error) {
	pattern := newGlob(value)
	forms := topicForms(value)
	means := func(topic string) bool {
		if topic == "" {
			return false
		}
		whole := withoutPartition(topic)
		return pattern.match(forms(topic)) || whole != topic && pattern.match(forms(whole))
	}
	return func(_ *Filter, e *session.Event) bool {
		topic := e.Topic()
		switch {
		case e.Kind == session.TxnSeen:
			return slices.ContainsFunc(e.Txn.Parts, func(p *session.TxnPart) bool { return means(p.Topic) })
		case topic == "" && e.Kind == session.FrameSeen:
			topic = text(e.Frame, topicFields)
		case topic == "" && e.Kind == session.ExchangeSeen:
			topic = e.Exchange.Topic
		}
		return means(topic)
	}, nil
}

// topicForms tells what of a topic is compared with a pattern: of
// persistent://tenant/namespace/name all of it, what follows the scheme, or the
// name alone, as the pattern has it.
func topicForms(pattern string) func(topic string) string {
	switch {
	case strings.Contains(pattern, "://"):
		return func(topic string) string { return topic }
	case strings.Contains(pattern, "/"):
		return func(topic string) string { return topic[max(0, strings.Index(topic, "://")+3):] }
	}
	return func(topic string) string { return topic[strings.LastIndexByte(topic, '/')+1:] }
}

const partitionSuffix = "-partition-"

// withoutPartition is the partitioned topic of which a topic is a part, or the
// topic itself.
func withoutPartition(topic string) string {
	i := strings.LastIndex(topic, partitionSuffix)
	if i < 0 {
		return topic
	}
	if _, err := strconv.ParseUint(topic[i+len(partitionSuffix):], 10, 31); err != nil {
		return topic
	}
	return topic[:i]
}

func parseProducer(value string) (predicate, error) {
	if id, err := strconv.ParseUint(value, 10, 64); err == nil {
		return func(_ *Filter, e *session.Event) bool { return producerID(e, id) }, nil
	}
	pattern := newGlob(value)
	return func(_ *Filter, e *session.Event) bool {
		if e.Producer != nil && pattern.match(e.Producer.Name) {
			return e.Producer.Name != ""
		}
		return sentBy(e, pattern)
	}, nil
}

func producerID(e *session.Event, id uint64) bool {
	if e.Kind == session.ExchangeSeen && e.Exchange.Kind == session.Send {
		return e.Exchange.ProducerID == id
	}
	return e.Producer != nil && e.Producer.ID == id
}

// sentBy looks at the producer's name in the metadata of an entry, which a
// consumer's connection knows it by.
func sentBy(e *session.Event, pattern glob) bool {
	if e.Kind == session.ChunkedMessage {
		return pattern.match(e.Chunked.ProducerName)
	}
	if e.Frame == nil || !e.Frame.HasMetadata || e.Kind == session.ExchangeSeen {
		return false
	}
	name, ok := e.Frame.Metadata.Text(wire.Top, field.MessageMetadataProducerName)
	return ok && pattern.match(string(name))
}

func parseConsumer(value string) (predicate, error) {
	if id, err := strconv.ParseUint(value, 10, 64); err == nil {
		return func(_ *Filter, e *session.Event) bool { return e.Consumer != nil && e.Consumer.ID == id }, nil
	}
	pattern := newGlob(value)
	return func(_ *Filter, e *session.Event) bool {
		c := e.Consumer
		return c != nil && (c.Name != "" && pattern.match(c.Name) || c.Subscription != "" && pattern.match(c.Subscription))
	}, nil
}
