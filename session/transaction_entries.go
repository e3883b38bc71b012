package session

import (
	"bytes"
	"slices"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/bookie"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
)

// txnEntry names an entry of a topic.
type txnEntry struct {
	topic string
	entryKey
}

// txnOfEntry finds the transaction of a MESSAGE whose metadata does not name it,
// by the receipt of its SEND: the Go client puts it into the command alone, which
// brokers do not store.
func (s *Session) txnOfEntry(c *Consumer, id *MessageID) (t TxnID, ok bool) {
	if len(s.txns.sent.values) == 0 || c == nil {
		return t, false
	}
	return s.txns.sent.get(txnEntry{c.Topic, entryKey{id.Ledger, id.Entry}})
}

// txnMarkers are the markers that end transactions, and whether they commit.
var txnMarkers = map[pb.MarkerType]bool{pb.MarkerType_TXN_COMMIT: true, pb.MarkerType_TXN_ABORT: false}

// markerOf is the marker of a transaction in the metadata of an entry.
func markerOf(f *decode.Frame) (kind pb.MarkerType, ok bool) {
	n, _ := f.Metadata.Int32(wire.Top, field.MessageMetadataMarkerType)
	_, ok = txnMarkers[pb.MarkerType(n)]
	return pb.MarkerType(n), ok
}

// markedEntry takes a SEND or MESSAGE that is a marker.
func (s *Session) markedEntry(c *Conn, f *decode.Frame, m *Message) {
	if kind, ok := markerOf(f); ok {
		s.txnMarked(c, m.Txn, TxnMarker{Topic: s.event.Topic(), ID: m.ID, HasID: m.HasID, Conn: c.ID, At: f.Last}, kind)
	}
}

// largestMarker is more than an entry has that is a marker of a transaction: it
// has no payload. markerTag is how its field begins.
const largestMarker = 1 << 10

var markerTag = []byte{field.MessageMetadataMarkerType<<3&0x7f | 0x80, field.MessageMetadataMarkerType << 3 >> 7}

// markedAtBookie takes markers on their way to a bookie. Only what may be one is
// read.
func (s *Session) markedAtBookie(c *Conn, f *decode.BookieFrame) {
	if f.Op != bookie.AddEntry || f.Role != bookie.Request {
		return
	}
	for i := range f.Stored {
		e := &f.Stored[i]
		if len(e.Body) > largestMarker || !bytes.Contains(e.Body, markerTag) {
			continue
		}
		x, ok := f.ReadStored(i)
		if !ok || !x.HasMetadata {
			continue
		}
		kind, isMarker := markerOf(x)
		if id, inTxn := TxnOf(x); inTxn && isMarker {
			at := MessageID{Ledger: uint64(e.Ledger), Entry: uint64(e.Entry), Partition: -1, BatchIndex: -1}
			s.txnMarked(c, id, TxnMarker{ID: at, HasID: true, Conn: c.ID, At: f.Last}, kind)
		}
	}
}

// txnMarked takes a marker of a transaction. Each bookie that stores an entry
// shows the same one.
func (s *Session) txnMarked(c *Conn, id TxnID, m TxnMarker, kind pb.MarkerType) {
	t := s.transaction(c, id, &m.At)
	if t == nil || slices.ContainsFunc(t.Markers, m.same) {
		return
	}
	if m.Name = kind.String(); len(t.Markers) < maxTxnMarkers {
		t.Markers = append(t.Markers, m)
		t.cost += txnPartCost + len(m.Topic)
	}
	if t.State == TxnUnknown || t.State == TxnOpen {
		t.become(txnOutcomes[txnMarkers[kind]].asked, &m.At)
	}
	s.keepTransactions(t)
}

func (m TxnMarker) same(o TxnMarker) bool {
	return m.HasID && o.HasID && m.ID.Ledger == o.ID.Ledger && m.ID.Entry == o.ID.Entry
}
