package wire

import (
	"math"
	"strconv"

	"pulsar-dissect/decode/wire/jsontext"
)

// AppendJSON appends a JSON object of the fields that stand in a message: the
// top, or a node that holds one. Each field is one member, where it occurs
// first: a repeated field an array, a singular one its last value, a message
// what its occurrences make together. Integers are numbers and exact, enum
// values names (numbers where the schema has no name), bytes base64; what is
// not known is in the array "unknown_fields", last.
func (w *Walk) AppendJSON(dst []byte, parent int, o *Options) []byte {
	return w.appendObject(dst, int32(parent), o.orDefault())
}

// AppendField appends one field of a message as a member, with the comma ahead
// of it, unless it is not there.
func (w *Walk) AppendField(dst []byte, parent int, number int32, o *Options) []byte {
	c := w.Find(parent, number)
	if c < 0 {
		return dst
	}
	return w.appendMember(dst, int32(c), &w.Nodes[c], o.orDefault())
}

// AppendNodeJSON appends the value of a node that is no message, as AppendJSON
// shows it.
func (w *Walk) AppendNodeJSON(dst []byte, n *Node, o *Options) []byte {
	switch {
	case n.Field != nil:
		return w.appendValue(dst, Top, n, o.orDefault())
	case n.WireType == Len:
		return jsontext.AppendBase64(dst, w.Bytes(n))
	}
	return jsontext.AppendUint(dst, n.Value)
}

// AppendString appends a string or bytes field, which must be there, as a JSON
// string.
func (w *Walk) AppendString(dst []byte, parent int, number int32) []byte {
	n := w.value(parent, number)
	if n.plain {
		return jsontext.AppendPlain(dst, w.Bytes(n))
	}
	return jsontext.AppendString(dst, w.Bytes(n))
}

// appendObject has each member begin with a comma, and turns the first one
// into the brace.
func (w *Walk) appendObject(dst []byte, parent int32, o *Options) []byte {
	start := len(dst)
	unknown := false
	for p := parent; ; {
		nodes := w.Nodes[:w.end(p)]
		for c := p + 1; int(c) < len(nodes); {
			n := &nodes[c]
			switch {
			case n.Field == nil:
				unknown = true
			case n.again:
			case n.Field.Kind == Uint64 && n.Same == 0 && !n.Field.Repeated: // as most are
				dst = jsontext.AppendUint(n.Field.key.append(dst), n.Value)
			default:
				dst = w.appendMember(dst, c, n, o)
			}
			c = n.Next
		}
		if p = w.another(p); p < 0 {
			break
		}
	}
	if unknown {
		dst = w.appendUnknown(dst, parent)
	}
	return closeList(dst, start, '{', '}')
}

// closeList ends an object or array whose members, from start on, each begin
// with a comma.
func closeList(dst []byte, start int, open, end byte) []byte {
	if len(dst) == start {
		return append(dst, open, end)
	}
	dst[start] = open
	return append(dst, end)
}

// appendMember appends the field whose first node is c.
func (w *Walk) appendMember(dst []byte, c int32, n *Node, o *Options) []byte {
	dst = n.Field.key.append(dst)
	if n.Field.Repeated {
		return w.appendArray(dst, c, o)
	}
	if n.Same != 0 && n.Field.Kind != Message {
		n = w.final(c)
	}
	return w.appendValue(dst, c, n, o)
}

func (w *Walk) appendArray(dst []byte, c int32, o *Options) []byte {
	start := len(dst)
	for {
		n := &w.Nodes[c]
		dst = append(dst, ',')
		dst = w.appendValue(dst, c, n, o)
		if c = n.Same; c == 0 {
			return closeList(dst, start, '[', ']')
		}
	}
}

// appendValue appends the value of n. Node c stands for it as a parent.
func (w *Walk) appendValue(dst []byte, c int32, n *Node, o *Options) []byte {
	switch n.Field.Kind {
	case Uint64:
		return jsontext.AppendUint(dst, n.Value)
	case Uint32, Int32, Int64:
		return appendNumber(dst, n)
	case Bool:
		return strconv.AppendBool(dst, n.Value != 0)
	case Enumeration:
		return appendEnum(dst, n)
	case Double:
		return jsontext.AppendFloat(dst, math.Float64frombits(n.Value))
	case Message:
		return w.appendObject(dst, c, o)
	}
	return w.appendString(dst, n, o)
}

func appendNumber(dst []byte, n *Node) []byte {
	if n.Field.Kind == Uint32 {
		return jsontext.AppendUint(dst, n.Uint())
	}
	return jsontext.AppendInt(dst, n.Int64())
}

func appendEnum(dst []byte, n *Node) []byte {
	number := int32(n.Value)
	if quoted := n.Field.Enum.quoted; uint(number) < uint(len(quoted)) && quoted[number] != nil {
		return append(dst, quoted[number]...)
	}
	return jsontext.AppendInt(dst, int64(number))
}

// appendString appends a string or bytes.
func (w *Walk) appendString(dst []byte, n *Node, o *Options) []byte {
	value := w.Bytes(n)
	switch {
	case n.Field.Secret && !o.ShowSecrets:
		return append(AppendRedacted(append(dst, '"'), value), '"')
	case n.Field.Kind == Bytes:
		return jsontext.AppendBase64(dst, value)
	case n.plain:
		return jsontext.AppendPlain(dst, value)
	}
	return jsontext.AppendString(dst, value)
}

// appendUnknown appends the member "unknown_fields".
func (w *Walk) appendUnknown(dst []byte, parent int32) []byte {
	dst = append(dst, `,"unknown_fields":`...)
	start := len(dst)
	for p := parent; ; {
		end := w.end(p)
		for c := p + 1; c < end; c = w.Nodes[c].Next {
			if n := &w.Nodes[c]; n.Field == nil {
				dst = w.appendUnknownField(dst, n)
			}
		}
		if p = w.another(p); p < 0 {
			return closeList(dst, start, '[', ']')
		}
	}
}

func (w *Walk) appendUnknownField(dst []byte, n *Node) []byte {
	dst = append(dst, `,{"number":`...)
	dst = jsontext.AppendInt(dst, int64(n.Number))
	dst = append(dst, `,"wire_type":`...)
	dst = jsontext.AppendInt(dst, int64(n.WireType))
	dst = append(dst, `,"value":`...)
	return append(w.AppendNodeJSON(dst, n, nil), '}')
}
