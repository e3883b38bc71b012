package render

import (
	"strconv"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/session"
)

// shownIDs is how many ids of a list a line shows.
const shownIDs = 3

func showText(dst []byte, w *wire.Walk, parent int, number int32) []byte {
	b, _ := w.Text(parent, number)
	return appendName(dst, b)
}

func showQuoted(dst []byte, w *wire.Walk, parent int, number int32) []byte {
	b, _ := w.Text(parent, number)
	if len(b) == 0 {
		return dst
	}
	return append(appendError(append(dst, '"'), b), '"')
}

func showTopic(dst []byte, w *wire.Walk, parent int, number int32) []byte {
	b, _ := w.Text(parent, number)
	return appendTopic(dst, b)
}

func showNumber(dst []byte, w *wire.Walk, parent int, number int32) []byte {
	v, _ := w.Uint(parent, number)
	return strconv.AppendUint(dst, v, 10)
}

// showSigned shows -1 as such where the schema has an unsigned number.
func showSigned(dst []byte, w *wire.Walk, parent int, number int32) []byte {
	v, _ := w.Uint(parent, number)
	return strconv.AppendInt(dst, int64(v), 10)
}

func showMillis(dst []byte, w *wire.Walk, parent int, number int32) []byte {
	v, _ := w.Uint(parent, number)
	return appendMillis(dst, v)
}

func showBool(dst []byte, w *wire.Walk, parent int, number int32) []byte {
	v, _ := w.Bool(parent, number)
	return strconv.AppendBool(dst, v)
}

func showSize(dst []byte, w *wire.Walk, parent int, number int32) []byte {
	v, _ := w.Int64(parent, number)
	return appendSize(dst, v)
}

func showEnum(dst []byte, w *wire.Walk, parent int, number int32) []byte {
	v, _ := w.Int32(parent, number)
	if e := w.Nodes[w.Find(parent, number)].Field.Enum; e != nil {
		if name := e.Value(v); name != "" {
			return append(dst, name...)
		}
	}
	return strconv.AppendInt(dst, int64(v), 10)
}

// showIDs shows the first of one or more message ids; "~" follows one that an
// ack_set takes only a part of.
func showIDs(dst []byte, w *wire.Walk, parent int, number int32) []byte {
	n := 0
	for i := w.Find(parent, number); i >= 0; i = w.NextOf(i) {
		if n++; n > shownIDs {
			continue
		}
		if n > 1 {
			dst = append(dst, ' ')
		}
		dst = appendIDAt(dst, w, i)
	}
	if n > shownIDs {
		dst = strconv.AppendInt(append(dst, " +"...), int64(n-shownIDs), 10)
	}
	return dst
}

func appendIDAt(dst []byte, w *wire.Walk, node int) []byte {
	id := session.MessageID{Partition: -1, BatchIndex: -1}
	id.Ledger, _ = w.Uint(node, field.MessageIdDataLedgerId)
	id.Entry, _ = w.Uint(node, field.MessageIdDataEntryId)
	if v, ok := w.Int32(node, field.MessageIdDataPartition); ok {
		id.Partition = v
	}
	if v, ok := w.Int32(node, field.MessageIdDataBatchIndex); ok {
		id.BatchIndex = v
	}
	dst = appendEntryID(dst, &id)
	if w.Find(node, field.MessageIdDataAckSet) >= 0 {
		dst = append(dst, '~')
	}
	return dst
}
