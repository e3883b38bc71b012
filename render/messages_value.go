package render

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/session"
)

// readValue reads the payload of a message by its schema, where it has one.
func (m *Messages) readValue(x *session.Message) {
	m.value, m.misfit = m.value[:0], nil
	if x.HasValue() && m.options.MaxPayload > 0 {
		m.value, m.misfit = x.AppendValue(m.value)
	}
}

// hasValue says whether the message at hand was read by a schema.
func (m *Messages) hasValue() bool { return len(m.value) > 0 }

// isNull says whether a message has no payload because it is null.
func isNull(d *decode.Message) bool {
	w, names := ownMetadata(d)
	if w == nil {
		return false
	}
	null, _ := w.Bool(wire.Top, names.nullValue)
	return null
}

// appendPayload appends the start of what is in a message: its value by schema
// as JSON; without one the payload, as text if it is text, else in hexadecimal.
func (m *Messages) appendPayload(dst []byte, d *decode.Message) []byte {
	switch {
	case d.State != decode.StateOK || m.options.MaxPayload <= 0 || m.options.WholePayload:
		return dst
	case isNull(d):
		return append(dst, "null"...)
	case m.hasValue():
		return appendValueStart(dst, m.value, m.options.MaxPayload)
	}
	shown, isText := texts{}.cut(d.Payload, min(m.options.MaxPayload, maxPreview))
	if isText {
		dst = append(appendVisible(append(dst, '"'), shown), '"')
	} else {
		shown = shown[:min(len(shown), maxPreview/2)]
		dst = hexBytes(append(dst, "0x"...), shown)
	}
	if len(shown) < len(d.Payload) {
		dst = append(dst, "…"...)
	}
	return dst
}

// appendValueStart appends at most so many bytes of a value, which is JSON.
func appendValueStart(dst, value []byte, most int) []byte {
	shown, _ := texts{}.cut(value, most)
	dst = appendVisibleJSON(dst, shown)
	if len(shown) < len(value) {
		dst = append(dst, "…"...)
	}
	return dst
}

// appendMisfit appends why the payload does not fit its schema.
func appendMisfit(dst []byte, misfit error) []byte {
	if misfit == nil {
		return dst
	}
	return appendVisible(append(dst, "DOES NOT FIT ITS SCHEMA: "...), misfit.Error())
}
