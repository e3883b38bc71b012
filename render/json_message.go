package render

import (
	"bytes"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/decode/wire/jsontext"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/session"
)

func (j *JSON) message(dst []byte, e *session.Event) []byte {
	dst = commandType(dst, e.Frame.Type)
	dst = j.context(dst, e)
	dst = j.brokerEntry(dst, e.Frame)
	return j.body(dst, e.Message)
}

// context appends what is known around a message.
func (j *JSON) context(dst []byte, e *session.Event) []byte {
	subscription := ""
	if e.Consumer != nil {
		subscription = e.Consumer.Subscription
	}
	return j.topics.append(dst, e, subscription)
}

// body appends a message itself.
func (j *JSON) body(dst []byte, m *session.Message) []byte {
	if w := m.Metadata; w != nil {
		dst = textField(dst, `,"producer_name":`, w, field.MessageMetadataProducerName)
	}
	if m.HasID {
		dst = append(dst, `,"message_id":`...)
		dst = messageID(dst, m)
	}
	if m.Read != nil {
		dst = elsewhere(append(dst, `,"read_entry":`...), m.Read)
	}
	if m.Batched && m.State == decode.StateOK {
		dst = number(dst, `,"index":`, int64(m.Index))
	}
	if m.Batched || m.State != decode.StateOK {
		dst = number(dst, `,"batch_size":`, int64(m.BatchSize))
	}
	if m.Metadata != nil {
		dst = j.metadata(dst, m)
	}
	dst = j.travel(dst, m)
	if m.Acked {
		dst = append(dst, `,"acked":true`...)
	}
	if m.RedeliveryCount > 0 {
		dst = number(dst, `,"redelivery_count":`, int64(m.RedeliveryCount))
	}
	if m.Metadata != nil {
		dst = codecName(dst, m.Codec)
		dst = present(dst, `,"codec_variant":`, m.Variant)
	}
	if m.Encrypted {
		dst = append(dst, `,"encrypted":true`...)
	}
	if m.State == decode.StateOK {
		dst = j.value(j.payload(dst, m), m)
	}
	dst = append(dst, states[m.State]...)
	return present(dst, `,"fault":`, m.Fault)
}

func messageID(dst []byte, m *session.Message) []byte {
	id := m.ID
	if m.Batched && m.State == decode.StateOK {
		id.BatchIndex = int32(m.Index)
	}
	return appendID(dst, &id)
}

func appendID(dst []byte, id *session.MessageID) []byte {
	dst = unsigned(dst, `{"ledgerId":`, id.Ledger)
	dst = unsigned(dst, `,"entryId":`, id.Entry)
	if id.Partition == -1 && id.BatchIndex == -1 {
		return append(dst, `,"partition":-1,"batch_index":-1}`...)
	}
	dst = number(dst, `,"partition":`, int64(id.Partition))
	dst = number(dst, `,"batch_index":`, int64(id.BatchIndex))
	return append(dst, '}')
}

// own are the fields that a message of a batch has in its own metadata, and
// one alone in that of the entry.
type own struct {
	sequence, eventTime, key, keyB64, orderingKey, properties, nullValue int32
}

var (
	ofEntry = own{field.MessageMetadataSequenceId, field.MessageMetadataEventTime, field.MessageMetadataPartitionKey,
		field.MessageMetadataPartitionKeyB64Encoded, field.MessageMetadataOrderingKey, field.MessageMetadataProperties,
		field.MessageMetadataNullValue}
	ofSingle = own{field.SingleMessageMetadataSequenceId, field.SingleMessageMetadataEventTime, field.SingleMessageMetadataPartitionKey,
		field.SingleMessageMetadataPartitionKeyB64Encoded, field.SingleMessageMetadataOrderingKey, field.SingleMessageMetadataProperties,
		field.SingleMessageMetadataNullValue}
)

func (j *JSON) metadata(dst []byte, m *session.Message) []byte {
	w, names := m.Metadata, &ofEntry
	if m.Single != nil {
		w, names = m.Single, &ofSingle
	}
	if v, ok := w.Uint(wire.Top, names.sequence); ok {
		dst = unsigned(dst, `,"sequence_id":`, v)
	} else if v, ok := m.Metadata.Uint(wire.Top, field.MessageMetadataSequenceId); ok {
		dst = unsigned(dst, `,"sequence_id":`, v+uint64(m.Index))
	}
	if v, ok := m.Metadata.Uint(wire.Top, field.MessageMetadataPublishTime); ok {
		dst = unsigned(dst, `,"publish_time":`, v)
	}
	if v, ok := w.Uint(wire.Top, names.eventTime); ok {
		dst = unsigned(dst, `,"event_time":`, v)
	}
	if m.Batched && m.Single == nil {
		return j.schemaVersion(dst, m) // the key of a batch is only one member's
	}
	dst = key(dst, w, names)
	if b, ok := w.Text(wire.Top, names.orderingKey); ok {
		dst = base64Field(dst, `,"ordering_key_b64":`, b)
	}
	dst = properties(dst, w, names.properties)
	if v, _ := w.Bool(wire.Top, names.nullValue); v {
		dst = append(dst, `,"null_value":true`...)
	}
	if m.Single != nil {
		if v, _ := w.Bool(wire.Top, field.SingleMessageMetadataCompactedOut); v {
			dst = append(dst, `,"compacted_out":true`...)
		}
	}
	return j.schemaVersion(dst, m)
}

func (j *JSON) schemaVersion(dst []byte, m *session.Message) []byte {
	if b, ok := m.Metadata.Text(wire.Top, field.MessageMetadataSchemaVersion); ok {
		return base64Field(dst, `,"schema_version":`, b)
	}
	return dst
}

// key appends the key as text, or the wire's text of a key that was encoded.
func key(dst []byte, w *wire.Walk, names *own) []byte {
	if encoded, _ := w.Bool(wire.Top, names.keyB64); encoded {
		return textField(dst, `,"key_b64":`, w, names.key)
	}
	return textField(dst, `,"key":`, w, names.key)
}

func base64Field(dst []byte, name string, b []byte) []byte {
	return jsontext.AppendBase64(append(dst, name...), b)
}

func textField(dst []byte, name string, w *wire.Walk, number int32) []byte {
	if w.Find(wire.Top, number) < 0 {
		return dst
	}
	return w.AppendString(append(dst, name...), wire.Top, number)
}

// properties appends an object; a key that occurs again has a list.
func properties(dst []byte, w *wire.Walk, number int32) []byte {
	open := `,"properties":{`
	for i := w.Find(wire.Top, number); i >= 0; i = w.NextOf(i) {
		k, _ := w.Text(i, field.KeyValueKey)
		if repeatedBefore(w, number, i, k) {
			continue
		}
		dst = append(dst, open...)
		open = ","
		dst = append(jsontext.AppendString(dst, k), ':')
		dst = propertyValues(dst, w, i, k)
	}
	if open == "," {
		dst = append(dst, '}')
	}
	return dst
}

func repeatedBefore(w *wire.Walk, number int32, i int, k []byte) bool {
	for p := w.Find(wire.Top, number); p >= 0 && p != i; p = w.NextOf(p) {
		if other, _ := w.Text(p, field.KeyValueKey); bytes.Equal(other, k) {
			return true
		}
	}
	return false
}

// propertyValues appends the value at i, or the list of all values of its key.
func propertyValues(dst []byte, w *wire.Walk, i int, k []byte) []byte {
	start := len(dst)
	v, _ := w.Text(i, field.KeyValueValue)
	dst = jsontext.AppendString(dst, v)
	several := false
	for p := w.NextOf(i); p >= 0; p = w.NextOf(p) {
		if other, _ := w.Text(p, field.KeyValueKey); bytes.Equal(other, k) {
			v, _ := w.Text(p, field.KeyValueValue)
			dst = jsontext.AppendString(append(dst, ','), v)
			several = true
		}
	}
	if several {
		dst = append(dst, "[]"...)
		copy(dst[start+1:], dst[start:len(dst)-2])
		dst[start], dst[len(dst)-1] = '[', ']'
	}
	return dst
}

// payload appends size, sum and the first bytes.
func (j *JSON) payload(dst []byte, m *session.Message) []byte {
	dst = number(dst, `,"size":`, int64(len(m.Payload)))
	if m.HasSum {
		dst = append(dst, `,"sha256":"`...)
		dst = append(hexBytes(dst, m.Sum[:]), '"')
	}
	return j.bytesOf(dst, m.Payload)
}

// bytesOf appends the first bytes, as text where they are text.
func (j *JSON) bytesOf(dst, b []byte) []byte {
	if j.options.MaxPayload <= 0 {
		return dst
	}
	shown, isText := j.texts.cut(b, j.options.MaxPayload)
	if isText {
		dst = jsontext.AppendString(append(dst, `,"payload_text":`...), shown)
	} else {
		dst = base64Field(dst, `,"payload_b64":`, shown)
	}
	if len(shown) < len(b) {
		dst = append(dst, `,"payload_cut":true`...)
	}
	return dst
}

func (j *JSON) chunked(dst []byte, e *session.Event) []byte {
	c := e.Chunked
	dst = j.context(dst, e)
	dst = text(dst, `,"uuid":`, c.UUID)
	dst = number(dst, `,"chunks":`, int64(c.Chunks))
	dst = number(dst, `,"total_size":`, c.TotalSize)
	dst = truth(dst, `,"complete":`, c.Complete)
	open := `,"missing":[`
	for _, i := range c.Missing {
		dst = number(dst, open, int64(i))
		open = ","
	}
	if open == "," {
		dst = append(dst, ']')
	}
	open = `,"chunk_ids":[`
	for i := range c.IDs {
		dst = appendID(append(dst, open...), &c.IDs[i])
		open = ","
	}
	if open == "," {
		dst = append(dst, ']')
	}
	return j.body(dst, e.Message)
}
