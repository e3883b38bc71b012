package wire

import (
	"encoding/binary"
	"math"
	"unicode/utf8"

	"pulsar-dissect/decode/wire/jsontext"
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
	again      bool   // not the first of its field in the (merged) message
	plain      bool   // a string that stands in JSON as it is
}

// An element of a packed field is a node of its own; its range is that of the
// element, so that tag and length of the packed field are in no node's range.

// Walk is what Parse found in one message. The zero value is ready for use.
type Walk struct {
	Data  []byte // borrowed from the caller of Parse
	Table *Table
	Nodes []Node

	Issues   []Issue // at most MaxIssues
	Found    IssueKind
	Unlisted int // issues beyond MaxIssues

	there fieldSet // fields of the top that are there
	last  []int32  // the last node of each field, for each message that is open; the top's stay
	top   int      // end of the part of last that is in use
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
		w.there = fieldSet{}
		return &Error{Offset: 0, Reason: TooLong}
	}
	if err := w.message(t, Top, 0, len(data), 0); err != nil {
		return err
	}
	return nil
}

// message walks data[p:end] as a message that is the value of node parent.
func (w *Walk) message(t *Table, parent int32, p, end, depth int) *Error {
	if depth > MaxDepth {
		return &Error{p, TooDeep}
	}
	var m open
	w.enter(&m, t, parent, depth)
	err := w.fields(&m, p, end)
	if parent == Top {
		w.there = m.seen
	}
	if err == nil && !m.complete() {
		w.reportMissing(&m)
	}
	w.leave(&m)
	return err
}

// fields walks the fields of m, data[p:end]. Everything that is as the schema
// says is done here and not in functions of its own: this loop is where a
// capture of small frames spends its time.
func (w *Walk) fields(m *open, p, end int) *Error { //nolint:gocyclo,funlen // a function for each kind of field cost half of the time
	data, byNumber := w.Data[:end], m.table.byNumber
	for p < end {
		start := p
		tag := uint64(data[p])
		if p++; tag >= 0x80 {
			if tag, p = uvarint(data, start); p < 0 {
				return varintError(data, start)
			}
		}
		number, wireType := tag>>3, uint8(tag&7)
		if number == 0 || tag > math.MaxUint32 {
			return &Error{start, BadNumber}
		}
		n := w.slot()
		if n == nil {
			return &Error{start, TooMany}
		}
		n.Start, n.ValueStart, n.Number, n.WireType = int32(start), int32(p), int32(number), wireType
		var f *Field
		if number < uint64(len(byNumber)) {
			f = byNumber[number]
		}
		if f == nil || f.WireType != wireType {
			var err *Error
			if p, err = w.unexpected(m, f, n, p, end); err != nil {
				return err
			}
			continue
		}
		value, q := uint64(0), p+1
		if wireType == Fixed64 {
			if q += 7; q <= end {
				value = binary.LittleEndian.Uint64(data[p:])
			}
		} else if p < end {
			if value = uint64(data[p]); value >= 0x80 {
				value, q = uvarint(data, p)
			}
		}
		if uint(q) > uint(end) { // -1, too
			return w.numberError(wireType, p, end)
		}
		n.Value = value
		if wireType != Len {
			p = q
			w.add(m, f, n, p)
			if f.Enum != nil {
				w.checkEnum(m, f, value)
			}
			continue
		}
		if value > uint64(end-q) {
			return &Error{p, LengthPastEnd}
		}
		p = q + int(value)
		n.ValueStart, n.Value = int32(q), 0
		at := w.add(m, f, n, p)
		switch f.Kind {
		case String:
			if n.plain = jsontext.Plain(data[q:p]); !n.plain && !utf8.Valid(data[q:p]) {
				w.issue(BadUTF8, m.parent, f, 0)
			}
		case Message:
			err := w.message(f.Message, at, q, p, m.depth+1)
			if w.Nodes[at].Next = int32(len(w.Nodes)); err != nil {
				return err
			}
		}
	}
	return nil
}
