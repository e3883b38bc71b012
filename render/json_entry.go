package render

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/decode/wire/jsontext"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/session"
)

// travel appends how an entry comes to be in its topic: replication,
// transaction, marker.
func (j *JSON) travel(dst []byte, m *session.Message) []byte {
	if w := m.Metadata; w != nil {
		dst = textField(dst, `,"replicated_from":`, w, field.MessageMetadataReplicatedFrom)
		dst = textList(dst, `,"replicate_to":`, w, field.MessageMetadataReplicateTo)
	}
	if m.InTxn {
		dst = unsigned(dst, `,"txn":"`, m.Txn.Most)
		dst = append(unsigned(dst, ":", m.Txn.Least), '"')
	}
	if m.Marker != nil {
		dst = j.marker(append(dst, `,"marker":`...), m.Marker)
	}
	return dst
}

// textList appends the list of a repeated text, unless there is none.
func textList(dst []byte, name string, w *wire.Walk, number int32) []byte {
	open := "["
	for i := range w.Each(wire.Top, number) {
		if open == "[" {
			dst = append(dst, name...)
		}
		dst = jsontext.AppendString(append(dst, open...), w.Bytes(&w.Nodes[i]))
		open = ","
	}
	if open == "," {
		dst = append(dst, ']')
	}
	return dst
}

// marker appends the type and the fields of the body in one object.
func (j *JSON) marker(dst []byte, m *decode.Marker) []byte {
	dst = text(dst, `{"type":`, m.Name())
	dst = present(dst, `,"fault":`, m.Fault)
	if m.Body != nil {
		start := len(dst)
		dst = m.Body.AppendJSON(dst, wire.Top, &j.wire)
		if dst[start+1] != '}' {
			dst[start] = ','
			return dst
		}
		dst = dst[:start]
	}
	return append(dst, '}')
}

// value appends the payload as its schema reads it. Where payloads are left
// out, so are values.
func (j *JSON) value(dst []byte, m *session.Message) []byte {
	if !m.HasValue() || j.options.MaxPayload <= 0 {
		return dst
	}
	before := len(dst)
	dst = append(dst, `,"value":`...)
	start := len(dst)
	dst, err := m.AppendValue(dst)
	if len(dst) == start {
		dst = dst[:before]
	}
	if err != nil {
		dst = text(dst, `,"value_error":`, err.Error())
	}
	return schemaOf(dst, m)
}

// schemaOf appends by which schema a value was read.
func schemaOf(dst []byte, m *session.Message) []byte {
	dst = append(append(dst, `,"schema":{"type":"`...), m.Schema.Type().String()...)
	dst = append(dst, '"')
	if version, ok := m.SchemaVersion(); ok {
		if n, ok := session.VersionNumber(version); ok {
			dst = unsigned(dst, `,"version":`, n)
		} else {
			dst = append(hexBytes(append(dst, `,"version":"`...), version), '"')
		}
	}
	dst = present(dst, `,"name":`, m.Schema.Name())
	return append(dst, '}')
}
