package decrypt

import (
	"encoding/binary"

	"pulsar-dissect/reassembly"
)

// middle looks at the first bytes of a stream whose start is not known.
func (d *Decrypter) middle(o *opening, e *reassembly.Event) {
	if FindRecords(e.Data) >= 0 {
		d.encryptedFrom(o, e)
		return
	}
	s := o.sides[e.Side]
	s.passed = true
	o.put(e, s)
	if o := e.Conn.Encryption.(*opening); o.sides[0].passed && o.sides[1].passed {
		d.plainText(o, e)
		return
	}
	d.pass(e)
}

// chained says whether b begins with records in a row: two, or one that
// reaches the end of the bytes or goes on beyond it.
func chained(b []byte) bool {
	for range 2 {
		if len(b) < recordHeader || !plausible(b) {
			return false
		}
		size := recordSize(b)
		if size >= len(b) {
			return true
		}
		b = b[size:]
	}
	return true
}

// FindRecords gives the first position in b, bytes from the middle of a stream, at
// which records in a row begin; -1 where none do.
func FindRecords(b []byte) int {
	if chained(b) {
		return 0
	}
	for i := 1; i+recordHeader <= len(b); i++ {
		if b[i] == contentApplication && b[i+1] == 3 && chainedInside(b[i:]) {
			return i
		}
	}
	return -1
}

// chainedInside says whether b begins with three records, of which the last
// may be cut. Two headers alone come about by chance once in a few TB.
func chainedInside(b []byte) bool {
	for n := 1; n < 3; n++ {
		if len(b) < recordHeader || !plausible(b) || recordSize(b)+recordHeader > len(b) {
			return false
		}
		b = b[recordSize(b):]
	}
	return plausible(b)
}

// leastBody is the size in bytes of the smallest body of a record by its type,
// clear or encrypted.
var leastBody = [...]uint16{contentChangeCipherSpec: 1, contentAlert: 2, contentHandshake: 4, contentApplication: 17, contentHeartbeat: 19}

// plausible says whether b begins with the header of a record, in the middle
// of a stream where chance would find a laxer one.
func plausible(b []byte) bool {
	return isRecord(b) && b[2] > 0 && b[2] <= 3 && binary.BigEndian.Uint16(b[3:]) >= leastBody[b[0]]
}
