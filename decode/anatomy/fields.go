package anatomy

import (
	"strconv"

	"pulsar-dissect/decode/wire"
)

// wireTypes are the names of the encoding's wire types, by number.
var wireTypes = [8]string{wire.Varint: "varint", wire.Fixed64: "fixed64", wire.Len: "len", wire.Fixed32: "fixed32"}

// walked makes parts of the fields that a walk found, within p, whose value the
// walked bytes are, and tells p what was wrong with them.
func (b *builder) walked(p *Part, w *wire.Walk) {
	p.Parts = b.fields(w, p, wire.Top, int32(len(w.Nodes)))
	for _, issue := range w.Issues {
		p.Faults = append(p.Faults, issue.String())
	}
	if w.Unlisted > 0 {
		p.Faults = append(p.Faults, strconv.Itoa(w.Unlisted)+" more issues")
	}
}

// fields makes parts of the nodes behind parent, up to end.
func (b *builder) fields(w *wire.Walk, whole *Part, parent, end int32) (parts []Part) {
	for i := parent + 1; i < end && !b.full(); i = w.Nodes[i].Next {
		n := &w.Nodes[i]
		b.parts++
		at := whole.ValueStart
		p := Part{Name: "unknown field", Number: n.Number, WireType: wireTypes[n.WireType], Buffer: whole.Buffer,
			Start: at + int(n.Start), ValueStart: at + int(n.ValueStart), End: at + int(n.End)}
		if n.Field != nil {
			p.Name, p.Hidden = n.Field.Name, n.Field.Secret && !b.options.ShowSecrets
		}
		if n.Field != nil && n.Field.Kind == wire.Message {
			p.Parts = b.fields(w, whole, i, n.Next)
		} else {
			p.Value = string(w.AppendNodeText(nil, n, &b.wire))
			p.JSON = string(w.AppendNodeJSON(nil, n, &b.wire))
		}
		p.Meaning = b.meaning(w, n, i)
		parts = append(parts, p)
	}
	return parts
}

// parsed walks the bytes of p as a message and makes parts of its fields.
func (b *builder) parsed(p *Part, t *wire.Table) *wire.Walk {
	w := &wire.Walk{}
	if err := w.Parse(t, b.bytes(p)); err != nil {
		p.Faults = append(p.Faults, err.Error())
	}
	b.walked(p, w)
	return w
}
