package wire

import (
	"iter"
	"math"
)

// Top is the parent of the fields of the message that was parsed.
const Top = -1

// The accessors read the fields of a message by number: of the top, or of a
// node that Sub, Find or Each gave. A singular field that occurs more than
// once has its last value, a singular message the fields of all its
// occurrences, as the encoding says. Fields of a wrong wire type are not there.

// Find returns the first node of a field, -1 if there is none.
func (w *Walk) Find(parent int, number int32) int {
	if parent == Top {
		if at := w.lastAtTop(number); at < 0 || !w.Nodes[at].again {
			return int(at)
		}
	}
	for p := int32(parent); ; {
		end := w.end(p)
		for c := p + 1; c < end; c = w.Nodes[c].Next {
			if n := &w.Nodes[c]; n.Number == number && n.Field != nil {
				return int(c)
			}
		}
		if p = w.another(p); p < 0 {
			return -1
		}
	}
}

// lastAtTop returns the last node of a field of the top, -1 if there is none. It
// takes no search: a dozen fields are asked for in each message's metadata, and
// most are not there.
func (w *Walk) lastAtTop(number int32) int32 {
	if w.Table == nil {
		return -1
	}
	f := w.Table.Field(number)
	if f == nil || !w.there.has(f) {
		return -1
	}
	return w.last[f.ordinal]
}

// end returns the index behind the last node within p.
func (w *Walk) end(p int32) int32 {
	if p < 0 {
		return int32(len(w.Nodes))
	}
	return w.Nodes[p].Next
}

// NextOf returns the node after node i of the same field, -1 if there is none.
func (w *Walk) NextOf(i int) int {
	if same := w.Nodes[i].Same; same != 0 {
		return int(same)
	}
	return -1
}

// Each gives the nodes of a repeated field in the order of the wire.
func (w *Walk) Each(parent int, number int32) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := w.Find(parent, number); i >= 0; i = w.NextOf(i) {
			if !yield(i) {
				return
			}
		}
	}
}

// value returns the node that holds the value of a singular field.
func (w *Walk) value(parent int, number int32) *Node {
	if parent == Top {
		if at := w.lastAtTop(number); at >= 0 {
			return &w.Nodes[at]
		}
		return nil
	}
	i := w.Find(parent, number)
	if i < 0 {
		return nil
	}
	return w.final(int32(i))
}

func (w *Walk) final(i int32) *Node {
	n := &w.Nodes[i]
	for n.Same != 0 {
		n = &w.Nodes[n.Same]
	}
	return n
}

// Uint returns an unsigned number.
func (w *Walk) Uint(parent int, number int32) (uint64, bool) {
	if n := w.value(parent, number); n != nil {
		return n.Uint(), true
	}
	return 0, false
}

// Int64 returns a signed number of any size.
func (w *Walk) Int64(parent int, number int32) (int64, bool) {
	if n := w.value(parent, number); n != nil {
		return n.Int64(), true
	}
	return 0, false
}

// Int32 returns a signed number of 32 bits, or the number of an enum value.
func (w *Walk) Int32(parent int, number int32) (int32, bool) {
	if n := w.value(parent, number); n != nil {
		return int32(n.Value), true
	}
	return 0, false
}

// Bool returns a truth value.
func (w *Walk) Bool(parent int, number int32) (value, ok bool) {
	if n := w.value(parent, number); n != nil {
		return n.Value != 0, true
	}
	return false, false
}

// Double returns a floating-point number.
func (w *Walk) Double(parent int, number int32) (float64, bool) {
	if n := w.value(parent, number); n != nil {
		return math.Float64frombits(n.Value), true
	}
	return 0, false
}

// Text returns a string or bytes, borrowed from Data. A string may hold bytes
// that are not UTF-8.
func (w *Walk) Text(parent int, number int32) ([]byte, bool) {
	if n := w.value(parent, number); n != nil {
		return w.Bytes(n), true
	}
	return nil, false
}

// Sub returns the node of a singular message, to be used as a parent.
func (w *Walk) Sub(parent int, number int32) (node int, ok bool) {
	i := w.Find(parent, number)
	return i, i >= 0
}

// Bytes returns the bytes of the value of n as they stand on the wire.
func (w *Walk) Bytes(n *Node) []byte { return w.Data[n.ValueStart:n.End] }

// Uint returns the value as an unsigned number: the low 32 bits of a uint32,
// as readers of the encoding cut it.
func (n *Node) Uint() uint64 {
	if n.Field.Kind == Uint32 {
		return n.Value & math.MaxUint32
	}
	return n.Value
}

// Int64 returns the value as a signed number: the low 32 bits of an int32 or
// an enum value, with their sign.
func (n *Node) Int64() int64 {
	switch n.Field.Kind {
	case Int32, Enumeration:
		return int64(int32(n.Value))
	}
	return int64(n.Value)
}
