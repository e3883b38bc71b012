package wire

import "encoding/binary"

// number reads a varint or a fixed value.
func (w *Walk) number(wireType uint8, p, end int) (value uint64, next int, err *Error) {
	data := w.Data[:end]
	switch wireType {
	case Varint:
		if value, next = uvarint(data, p); next < 0 {
			return 0, p, varintError(data, p)
		}
		return value, next, nil
	case Fixed64:
		if end-p < 8 {
			return 0, p, &Error{p, ShortFixed}
		}
		return binary.LittleEndian.Uint64(data[p:]), p + 8, nil
	case Fixed32:
		if end-p < 4 {
			return 0, p, &Error{p, ShortFixed}
		}
		return uint64(binary.LittleEndian.Uint32(data[p:])), p + 4, nil
	}
	return 0, p, &Error{p, Group}
}

// numberError says why there is no number, or no length, at p.
func (w *Walk) numberError(wireType uint8, p, end int) *Error {
	if wireType == Fixed64 {
		return &Error{p, ShortFixed}
	}
	return varintError(w.Data[:end], p)
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

func (w *Walk) checkEnum(m *open, f *Field, value uint64) {
	if number := int32(value); f.Enum.Value(number) == "" {
		w.issue(UnknownEnum, m.parent, f, int64(number))
	}
}

// unexpected reads a field that is not as the schema says: unknown, of another
// wire type, or packed (which any reader takes for a repeated number).
func (w *Walk) unexpected(m *open, f *Field, n *Node, p, end int) (stop int, err *Error) {
	if f != nil && f.Repeated && n.WireType == Len && f.WireType == Varint {
		return w.packed(m, f, p, end)
	}
	n.Value = 0
	if n.WireType == Len {
		p, stop, err = w.length(p, end)
	} else {
		n.Value, stop, err = w.number(n.WireType, p, end)
	}
	if err != nil {
		return p, err
	}
	n.ValueStart = int32(p)
	if f != nil {
		w.issue(WrongWireType, m.parent, f, int64(n.WireType))
	}
	w.issue(UnknownField, m.parent, nil, int64(n.Number))
	w.add(m, nil, n, stop)
	return stop, nil
}

// packed reads the elements of a packed field, each into a node.
func (w *Walk) packed(m *open, f *Field, p, end int) (int, *Error) {
	p, stop, err := w.length(p, end)
	for err == nil && p < stop {
		n := w.slot()
		if n == nil {
			return p, &Error{p, TooMany}
		}
		n.Number, n.WireType = f.Number, Len
		n.Start, n.ValueStart = int32(p), int32(p)
		if n.Value, p, err = w.number(Varint, p, stop); err != nil {
			return p, err
		}
		if f.Enum != nil {
			w.checkEnum(m, f, n.Value)
		}
		w.add(m, f, n, p)
	}
	return p, err
}
