package session

import (
	"strconv"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
)

// TxnID names a transaction: Most is the number of its coordinator, Least its
// number there.
type TxnID struct{ Most, Least uint64 }

// String is most:least.
func (t TxnID) String() string {
	return strconv.FormatUint(t.Most, 10) + ":" + strconv.FormatUint(t.Least, 10)
}

// TxnNamed says which transaction a command names.
func TxnNamed(f *decode.Frame) (id TxnID, ok bool) {
	if f.Sub < 0 || f.Command == nil {
		return id, false
	}
	fields := &txnFields[f.Type]
	if fields.most == 0 {
		return id, false
	}
	return txnID(&f.Base, f.Sub, fields.most, fields.least)
}

// txnFields are the fields with a transaction's number, by type of command; 0
// where it has none.
var txnFields = func() (out []struct{ most, least int32 }) {
	for number, a := range answers {
		if n := int(number) + 1 - len(out); n > 0 {
			out = append(out, make([]struct{ most, least int32 }, n)...)
		}
		out[number].most, out[number].least = a.txnMost, a.txnLeast
	}
	return out
}()

// TxnOf says which transaction a SEND or MESSAGE belongs to. The metadata has
// it from Java clients; others have it only in the command.
func TxnOf(f *decode.Frame) (id TxnID, ok bool) {
	if f.HasMetadata {
		id, ok = txnID(&f.Metadata, wire.Top, field.MessageMetadataTxnidMostBits, field.MessageMetadataTxnidLeastBits)
	}
	if !ok && f.Is(int32(pb.BaseCommand_SEND)) {
		id, ok = TxnNamed(f)
	}
	return id, ok
}

// txnID reads a transaction's number. It is there if one of its halves is:
// writers leave a half out that is 0.
func txnID(w *wire.Walk, parent int, most, least int32) (id TxnID, ok bool) {
	var hasMost, hasLeast bool
	id.Most, hasMost = w.Uint(parent, most)
	id.Least, hasLeast = w.Uint(parent, least)
	return id, hasMost || hasLeast
}
