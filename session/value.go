package session

import (
	"encoding/base64"
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/schema"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
)

// speaksGo says whether the client is the Go client, whose primitive integers
// only its like can read: what a value is depends on who reads it, and here it
// is the client of the connection.
func (c *Conn) speaksGo() bool {
	return strings.HasPrefix(c.ClientVersion, "Pulsar-Go") || strings.HasPrefix(c.ClientVersion, "Pulsar Go")
}

// HasValue says whether the payload can be read by a schema.
func (m *Message) HasValue() bool {
	if m.Schema == nil || m.State != decode.StateOK || m.Marker != nil {
		return false
	}
	return m.Single == nil || !first(m.Single.Bool(wire.Top, field.SingleMessageMetadataCompactedOut))
}

// AppendValue appends the payload, read by the schema, as one line of JSON. It
// is only read when it is asked for. The error names the field that does not
// fit; dst is then as it was, unless the value can be shown all the same.
func (m *Message) AppendValue(dst []byte) ([]byte, error) {
	s, err := m.Schema.Compiled()
	if err != nil {
		return dst, err
	}
	return s.Append(dst, m.value())
}

// SchemaVersion is the schema_version of the metadata, borrowed; absent and
// empty differ.
func (m *Message) SchemaVersion() (version []byte, ok bool) {
	if m.Metadata == nil {
		return nil, false
	}
	return m.Metadata.Text(wire.Top, field.MessageMetadataSchemaVersion)
}

// value is what the schema is given to read.
func (m *Message) value() schema.Value {
	v := schema.Value{Payload: m.Payload, Go: m.goClient}
	if m.Single != nil {
		v.Null, _ = m.Single.Bool(wire.Top, field.SingleMessageMetadataNullValue)
		v.Key, v.HasKey = keyOf(m.Single, field.SingleMessageMetadataPartitionKey, field.SingleMessageMetadataPartitionKeyB64Encoded)
	} else {
		v.Null, _ = m.Metadata.Bool(wire.Top, field.MessageMetadataNullValue)
		v.Key, v.HasKey = keyOf(m.Metadata, field.MessageMetadataPartitionKey, field.MessageMetadataPartitionKeyB64Encoded)
	}
	return v
}

// keyOf is the key of a message as its producer gave it: bytes travel as base64.
func keyOf(w *wire.Walk, key, encoded int32) ([]byte, bool) {
	b, ok := w.Text(wire.Top, key)
	if isBase64, _ := w.Bool(wire.Top, encoded); !isBase64 {
		return b, ok
	}
	plain, err := base64.StdEncoding.AppendDecode(nil, b)
	if err != nil {
		return b, ok
	}
	return plain, ok
}
