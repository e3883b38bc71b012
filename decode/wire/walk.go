package wire

import (
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// Limits of one walk. Both bound what hostile bytes can cost.
const (
	MaxDepth = 32      // messages within messages
	MaxNodes = 1 << 20 // nodes: 48 bytes each
)

// Node is one field as it stands on the wire. Nodes are in preorder: the
// fields of a message follow it, up to its Next.
type Node struct {
	Field      *Field // nil: not in the schema, or of another wire type there
	Value      uint64 // varint, or fixed value in little-endian, as read; the accessors convert
	Start, End int32  // byte range with the tag, relative to Walk.Data
	ValueStart int32  // first byte of the value, behind tag and length; it ends at End
	Next       int32  // index of the node after the subtree of this one
	Same       int32  // index of the next node of this field in the same message, 0: none
	Number     int32  // field number
	WireType   uint8  // as on the wire; Len with a number as value: element of a packed field
	flags      uint8
}

// An element of a packed field is a node of its own; its range is that of the
// element, so that tag and length of the packed field are in no node's range.

const (
	again   = 1 << iota // not the first of its field in the (merged) message
	badText             // string that is not UTF-8
)

// Walk is what Parse found in one message. The zero value is ready for use.
type Walk struct {
	Data  []byte // borrowed from the caller of Parse
	Table *Table
	Nodes []Node

	Issues   []Issue // at most MaxIssues
	Found    IssueKind
	Unlisted int // issues beyond MaxIssues

	seen []sighting // one per field of each message that is open
	top  int        // end of the part of seen that is in use
	gen  uint64     // number of the message last entered, over all walks
}

// sighting tells the last node of a field in message number gen. Entries of
// other messages are stale; so nothing has to be cleared.
type sighting struct {
	gen  uint64
	node int32
}

// Parse walks data as a message of type t. Fields that the schema does not
// know, or knows otherwise, are nodes and issues. An error, always an *Error,
// means that the bytes cannot be walked beyond its offset; the nodes before
// it stay. data is borrowed as long as the walk is used.
func (w *Walk) Parse(t *Table, data []byte) error {
	w.Data, w.Table = data, t
	w.Nodes, w.Issues = w.Nodes[:0], w.Issues[:0]
	w.Found, w.Unlisted, w.top = 0, 0, 0
	if len(data) > math.MaxInt32 {
		return &Error{Offset: 0, Reason: TooLong}
	}
	if err := w.message(t, -1, 0, len(data), 0); err != nil {
		return err
	}
	return nil
}

// message walks data[p:end] as a message that is the value of node parent.
func (w *Walk) message(t *Table, parent int32, p, end, depth int) *Error {
	if depth > MaxDepth {
		return &Error{p, TooDeep}
	}
	m := w.enter(t, parent)
	err := w.fields(&m, p, end, depth)
	if err == nil {
		w.checkRequired(&m)
	}
	w.leave(&m)
	return err
}

// fields walks the fields of m, data[p:end].
func (w *Walk) fields(m *open, p, end, depth int) *Error {
	data := w.Data[:end]
	for p < end {
		start := p
		var tag uint64
		if c := data[p]; c < 0x80 {
			tag, p = uint64(c), p+1
		} else if tag, p = uvarint(data, p); p < 0 {
			return varintError(data, start)
		}
		if tag>>3 == 0 || tag > math.MaxUint32 {
			return &Error{start, BadNumber}
		}
		n := Node{
			Number: int32(tag >> 3), WireType: uint8(tag & 7),
			Start: int32(start), ValueStart: int32(p),
		}
		var err *Error
		if f := m.table.Field(n.Number); f != nil && f.WireType == n.WireType {
			n.Field = f
			p, err = w.value(m, &n, p, end, depth)
		} else {
			p, err = w.unexpected(m, f, n, p, end)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// value reads the value at p of a field that is as the schema says.
func (w *Walk) value(m *open, n *Node, p, end, depth int) (int, *Error) {
	if n.WireType == Len {
		return w.delimited(m, n, p, end, depth)
	}
	p, err := w.number(n, p, end)
	if err != nil {
		return p, err
	}
	if f := n.Field; f.Kind == Enumeration && f.Enum.Value(int32(n.Value)) == "" {
		w.issue(UnknownEnum, m.parent, f, int64(int32(n.Value)))
	}
	return p, w.add(m, n, p)
}

// number reads a varint or a fixed value.
func (w *Walk) number(n *Node, p, end int) (int, *Error) {
	start := p
	switch n.WireType {
	case Varint:
		if n.Value, p = uvarint(w.Data[:end], p); p < 0 {
			return start, varintError(w.Data[:end], start)
		}
	case Fixed64:
		if end-p < 8 {
			return start, &Error{start, ShortFixed}
		}
		n.Value, p = binary.LittleEndian.Uint64(w.Data[p:]), p+8
	case Fixed32:
		if end-p < 4 {
			return start, &Error{start, ShortFixed}
		}
		n.Value, p = uint64(binary.LittleEndian.Uint32(w.Data[p:])), p+4
	default:
		return start, &Error{int(n.Start), Group}
	}
	return p, nil
}

// delimited reads a string, bytes or a message.
func (w *Walk) delimited(m *open, n *Node, p, end, depth int) (int, *Error) {
	p, stop, err := w.length(p, end)
	if err != nil {
		return p, err
	}
	n.ValueStart = int32(p)
	switch n.Field.Kind {
	case String:
		if !utf8.Valid(w.Data[p:stop]) {
			n.flags = badText
			w.issue(BadUTF8, m.parent, n.Field, 0)
		}
	case Message:
		return w.nested(m, n, p, stop, depth)
	}
	return stop, w.add(m, n, stop)
}

// length reads the length at p and returns where its bytes begin and end.
func (w *Walk) length(p, end int) (start, stop int, err *Error) {
	size, q := uvarint(w.Data[:end], p)
	if q < 0 {
		return p, p, varintError(w.Data[:end], p)
	}
	if size > uint64(end-q) {
		return p, p, &Error{p, LengthPastEnd}
	}
	return q, q + int(size), nil
}

// nested reads the message data[p:stop] that is the value of n.
func (w *Walk) nested(m *open, n *Node, p, stop, depth int) (int, *Error) {
	at := int32(len(w.Nodes))
	first := w.first(m, n.Field)
	if err := w.add(m, n, stop); err != nil {
		return p, err
	}
	err := w.message(n.Field.Message, at, p, stop, depth+1)
	w.Nodes[at].Next = int32(len(w.Nodes))
	if !first && !n.Field.Repeated {
		m.merged = true
	}
	return stop, err
}

// unexpected reads a field that is not as the schema says: unknown, of another
// wire type, or packed (which any reader takes for a repeated number).
func (w *Walk) unexpected(m *open, f *Field, n Node, p, end int) (int, *Error) {
	if f != nil && f.Repeated && n.WireType == Len && f.WireType == Varint {
		n.Field = f
		return w.packed(m, n, p, end)
	}
	stop := p
	var err *Error
	if n.WireType == Len {
		p, stop, err = w.length(p, end)
		n.ValueStart = int32(p)
	} else {
		stop, err = w.number(&n, p, end)
	}
	if err != nil {
		return p, err
	}
	if f != nil {
		w.issue(WrongWireType, m.parent, f, int64(n.WireType))
	}
	w.issue(UnknownField, m.parent, nil, int64(n.Number))
	return stop, w.add(m, &n, stop)
}

// packed reads the elements of a packed field, each into a node.
func (w *Walk) packed(m *open, n Node, p, end int) (int, *Error) {
	p, stop, err := w.length(p, end)
	for err == nil && p < stop {
		e := n
		e.Start, e.ValueStart = int32(p), int32(p)
		value, q := uvarint(w.Data[:stop], p)
		if q < 0 {
			return p, varintError(w.Data[:stop], p)
		}
		e.Value, p = value, q
		if f := e.Field; f.Kind == Enumeration && f.Enum.Value(int32(value)) == "" {
			w.issue(UnknownEnum, m.parent, f, int64(int32(value)))
		}
		err = w.add(m, &e, p)
	}
	return p, err
}
