package render

import (
	"strconv"
	"time"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/codec"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/session"
)

// whole appends the block of a message: its facts and what is in it.
func (m *Messages) whole(dst []byte, e *session.Event) []byte {
	b := block{text: dst}
	if !m.grid.terse {
		b.width = m.options.Width
	}
	for _, f := range facts {
		if value := f.value(nil, e); len(value) > 0 {
			b.fact(f.name, value)
		}
	}
	b.properties(e.Message.Message)
	m.inside(&b, e)
	return append(b.text, '\n')
}

// facts are what is told of a message where it has it.
var facts = []struct {
	name  string
	value func(dst []byte, e *session.Event) []byte
}{
	{"topic", func(dst []byte, e *session.Event) []byte { return appendName(dst, e.Topic()) }},
	{"subscription", func(dst []byte, e *session.Event) []byte {
		if e.Consumer == nil {
			return dst
		}
		return appendName(dst, e.Consumer.Subscription)
	}},
	{"producer", metadataText(field.MessageMetadataProducerName)},
	{"sequence id", func(dst []byte, e *session.Event) []byte {
		return ofOwn(dst, e, func(n *own) int32 { return n.sequence }, func(dst []byte, v uint64) []byte { return strconv.AppendUint(dst, v, 10) })
	}},
	{"published", func(dst []byte, e *session.Event) []byte {
		if w := e.Message.Metadata; w != nil {
			if t, ok := w.Uint(wire.Top, field.MessageMetadataPublishTime); ok {
				return appendMillis(dst, t)
			}
		}
		return dst
	}},
	{"event time", func(dst []byte, e *session.Event) []byte {
		return ofOwn(dst, e, func(n *own) int32 { return n.eventTime }, appendMillis)
	}},
	{"key", func(dst []byte, e *session.Event) []byte { return appendKey(dst, e.Message.Message) }},
	{"ordering key", func(dst []byte, e *session.Event) []byte {
		w, names := ownMetadata(e.Message.Message)
		if w == nil {
			return dst
		}
		b, _ := w.Text(wire.Top, names.orderingKey)
		return appendName(dst, b)
	}},
	{"transaction", func(dst []byte, e *session.Event) []byte {
		if e.Message.InTxn {
			dst = append(dst, e.Message.Txn.String()...)
		}
		return dst
	}},
	{"replicated from", metadataText(field.MessageMetadataReplicatedFrom)},
	{"deliver at", func(dst []byte, e *session.Event) []byte {
		if w := e.Message.Metadata; w != nil {
			if t, ok := w.Int64(wire.Top, field.MessageMetadataDeliverAtTime); ok && t > 0 {
				return appendMillis(dst, uint64(t))
			}
		}
		return dst
	}},
	{"broker took", brokerTook},
	{"codec", func(dst []byte, e *session.Event) []byte {
		if d := e.Message.Message; d.Metadata != nil && d.Codec != codec.None {
			dst = append(dst, d.Codec.String()...)
		}
		return dst
	}},
	{"marker", func(dst []byte, e *session.Event) []byte {
		if mark := e.Message.Marker; mark != nil {
			dst = append(dst, mark.Name()...)
		}
		return dst
	}},
}

// brokerTook appends when the broker stored an entry, and how long after its
// publishing.
func brokerTook(dst []byte, e *session.Event) []byte {
	if e.Frame == nil || !e.Frame.HasBrokerEntry {
		return dst
	}
	if t, ok := e.Frame.BrokerEntry.Uint(wire.Top, field.BrokerEntryMetadataBrokerTimestamp); ok {
		dst = appendMillis(dst, t)
	}
	if ms, ok := session.BrokerDelay(e.Frame); ok {
		dst = append(appendLatency(append(dst, ", "...), ms*int64(time.Millisecond)), " after it was published, if clocks agree"...)
	}
	return dst
}

func metadataText(number int32) func(dst []byte, e *session.Event) []byte {
	return func(dst []byte, e *session.Event) []byte {
		if e.Message.Metadata == nil {
			return dst
		}
		b, _ := e.Message.Metadata.Text(wire.Top, number)
		return appendName(dst, b)
	}
}

// ofOwn appends a number that is in a message's own metadata.
func ofOwn(dst []byte, e *session.Event, of func(*own) int32, show func(dst []byte, v uint64) []byte) []byte {
	w, names := ownMetadata(e.Message.Message)
	if w == nil {
		return dst
	}
	if v, ok := w.Uint(wire.Top, of(names)); ok {
		dst = show(dst, v)
	}
	return dst
}

func (b *block) properties(d *decode.Message) {
	w, names := ownMetadata(d)
	if w == nil {
		return
	}
	for i := range w.Each(wire.Top, names.properties) {
		k, _ := w.Text(i, field.KeyValueKey)
		v, _ := w.Text(i, field.KeyValueValue)
		b.line(blockIndent, appendVisible(append(appendVisible([]byte("property "), k), " = "...), v))
	}
}

// inside appends the value of a message by its schema; where there is none, its
// payload.
func (m *Messages) inside(b *block, e *session.Event) {
	d, most := e.Message.Message, m.options.MaxPayload
	switch {
	case d.State != decode.StateOK:
		return // its trouble is told above
	case isNull(d):
		b.fact("payload", []byte("null"))
		return
	case most <= 0:
		b.fact("payload", []byte(sizeFact(len(d.Payload))))
		return
	}
	if m.hasValue() {
		b.fact("value by "+schemaWords(e.Message), nil)
		b.value(m.value, most)
		if m.misfit == nil {
			return
		}
	}
	b.fact("payload", []byte(sizeFact(len(d.Payload))))
	b.contents(d.Payload, most)
}

// value appends a value, which is JSON, or as much of it as is shown.
func (b *block) value(value []byte, most int) {
	if pretty, ok := indented(value); ok {
		value = pretty
	}
	shown, _ := texts{}.cut(value, most)
	b.json(shown)
	if left := len(value) - len(shown); left > 0 {
		b.more(left)
	}
}

// schemaWords name a schema: "Avro version 3 (Order)".
func schemaWords(m *session.Message) string {
	words := m.Schema.Type().String()
	if version, ok := m.SchemaVersion(); ok {
		if n, ok := session.VersionNumber(version); ok {
			words += " version " + strconv.FormatUint(n, 10)
		}
	}
	if name := m.Schema.Name(); name != "" {
		words += " (" + string(appendName(nil, name)) + ")"
	}
	return words
}
