package render

import (
	"slices"

	"pulsar-dissect/decode/anatomy"
	"pulsar-dissect/decode/wire/jsontext"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
)

// appendDissection appends the record of kind dissection of a frame, with its
// line end.
func (j *JSON) appendDissection(dst []byte, e *session.Event, a *anatomy.Anatomy, segments []reassembly.Extent) []byte {
	dst = append(dst, `{"kind":"dissection","time":`...)
	dst = j.clock.append(dst, e.At.Time)
	dst = unsigned(dst, `,"packet":`, e.At.Packet)
	if len(j.options.Files) > 1 {
		dst = text(dst, `,"file":`, j.options.Files[e.At.File])
	}
	dst = connOf(dst, e.Conn.Name, e.Conn.ID, ",")
	dst = text(dst, `,"dir":`, e.Direction.String())
	dst = number(dst, `,"offset":`, e.Offset)
	dst = number(dst, `,"size":`, e.Frame.Size)
	dst = text(dst, `,"type":`, e.Frame.TypeName())
	dst = append(dst, `,"segments":[`...)
	for i := range segments {
		s := &segments[i]
		dst = unsigned(openItem(dst, i), `"packet":`, s.At.Packet)
		dst = j.clock.append(append(dst, `,"time":`...), s.At.Time)
		dst = number(dst, `,"start":`, s.From-e.Offset)
		dst = append(number(dst, `,"end":`, s.To-e.Offset), '}')
	}
	return appendBytesOf(append(dst, ']'), a)
}

// appendLooseDissection is the same of bytes that are from no capture.
func (j *JSON) appendLooseDissection(dst []byte, a *anatomy.Anatomy, form anatomy.Form, why string) []byte {
	dst = append(dst, `{"kind":"dissection"`...)
	dst = number(dst, `,"size":`, int64(len(a.Buffers[0].Bytes)))
	dst = text(dst, `,"form":`, string(form))
	dst = present(dst, `,"guess":`, why)
	return appendBytesOf(dst, a)
}

// appendBytesOf appends the bytes and their parts, and ends the record.
func appendBytesOf(dst []byte, a *anatomy.Anatomy) []byte {
	shown := make([][]byte, len(a.Buffers))
	for i := range a.Buffers {
		shown[i] = slices.Clone(a.Buffers[i].Bytes)
	}
	blank(shown, a.Parts)
	dst = append(dst, `,"buffers":[`...)
	for i := range a.Buffers {
		dst = text(openItem(dst, i), `"name":`, a.Buffers[i].Name)
		dst = append(hexBytes(append(dst, `,"bytes":"`...), shown[i]), `"}`...)
	}
	dst = appendParts(append(dst, ']'), a.Parts)
	return append(appendFaults(dst, a.Faults), '}', '\n')
}

// openItem begins item i of a list of objects.
func openItem(dst []byte, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return append(dst, '{')
}

// blank overwrites what is not to be shown with zeros.
func blank(shown [][]byte, parts []anatomy.Part) {
	for i := range parts {
		p := &parts[i]
		inside := len(p.Parts) > 0 && p.Parts[0].Buffer == p.Buffer
		if p.Hidden && !inside {
			clear(shown[p.Buffer][p.ValueStart:p.End])
		}
		blank(shown, p.Parts)
	}
}

func appendParts(dst []byte, parts []anatomy.Part) []byte {
	dst = append(dst, `,"parts":[`...)
	for i := range parts {
		dst = appendPart(openItem(dst, i), &parts[i])
	}
	return append(dst, ']')
}

func appendPart(dst []byte, p *anatomy.Part) []byte {
	dst = text(dst, `"name":`, p.Name)
	if p.Number > 0 {
		dst = number(dst, `,"number":`, int64(p.Number))
		dst = text(dst, `,"wire_type":`, p.WireType)
	}
	if p.Buffer > 0 {
		dst = number(dst, `,"buffer":`, int64(p.Buffer))
	}
	dst = number(dst, `,"start":`, int64(p.Start))
	dst = number(dst, `,"value_start":`, int64(p.ValueStart))
	dst = number(dst, `,"end":`, int64(p.End))
	if p.JSON != "" {
		dst = append(append(dst, `,"value":`...), p.JSON...)
	}
	dst = present(dst, `,"meaning":`, p.Meaning)
	if p.Hidden {
		dst = append(dst, `,"hidden":true`...)
	}
	dst = appendFaults(dst, p.Faults)
	if len(p.Parts) > 0 {
		dst = appendParts(dst, p.Parts)
	}
	return append(dst, '}')
}

func appendFaults(dst []byte, faults []string) []byte {
	if len(faults) == 0 {
		return dst
	}
	dst = append(dst, `,"faults":[`...)
	for i, f := range faults {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsontext.AppendText(dst, f)
	}
	return append(dst, ']')
}
