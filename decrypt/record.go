package decrypt

import (
	"encoding/binary"

	"pulsar-dissect/reassembly"
)

// Content types of records (RFC 8446, section 5.1).
const (
	contentChangeCipherSpec = 20
	contentAlert            = 21
	contentHandshake        = 22
	contentApplication      = 23
	contentHeartbeat        = 24
)

// Sizes of records, in bytes.
const (
	recordHeader  = 5
	longestBody   = 1<<14 + 2048 // of TLS 1.2, whose ciphers may add most (RFC 5246, section 6.2.3)
	longestRecord = recordHeader + longestBody
)

// Reasons why bytes are not opened.
const (
	reasonNoHandshake = "no handshake seen"
	reasonNoSecret    = "no secret for this client random"
	reasonMisfit      = "the secrets do not fit"
	reasonCipher      = "unknown cipher"
	reasonVersion     = "unknown version"
	reasonCompressed  = "compressed records"
	reasonBadRecord   = "bad record"
	reasonNoTLS       = "no TLS record"
	reasonCut         = "record cut"
	reasonGap         = "gap inside"
	reasonEarly       = "early data"
)

// verdict is what became of a record.
type verdict uint8

const (
	taken   verdict = iota
	waiting         // it cannot be opened yet
	sealed          // the direction was given up
)

// isRecord says whether b, which has at least recordHeader bytes, may begin a
// record.
func isRecord(b []byte) bool {
	return b[0] >= contentChangeCipherSpec && b[0] <= contentHeartbeat && b[1] == 3 && b[2] <= 4 &&
		binary.BigEndian.Uint16(b[3:]) <= longestBody
}

// RecordSize is the size in bytes of the record of which b is the header, which
// takes RecordHeader bytes; ok is false where none begins with them.
func RecordSize(b []byte) (size int, ok bool) { return recordSize(b), isRecord(b) }

// RecordHeader is the size of a record's header in bytes.
const RecordHeader = recordHeader

// recordSize is the size of the record at the start of b, header included.
func recordSize(b []byte) int { return recordHeader + int(binary.BigEndian.Uint16(b[3:])) }

// records takes whole records from the start of b and says how many bytes they
// took: all, where the direction is given up. spans are those of the buffer,
// nil if b is not of it.
func (d *Decrypter) records(t *connection, h *half, b []byte, spans []span) (used int) {
	h.at = h.latest
	for len(b)-used >= recordHeader {
		r := b[used:]
		if !isRecord(r) {
			h.sealed += int64(len(r))
			d.giveUp(t, h, h.noRecord())
			return len(b)
		}
		n := recordSize(r)
		if len(r) < n {
			break
		}
		if spans != nil {
			h.at = completed(spans, used+n)
		}
		h.begun, h.waits = true, ""
		switch d.record(t, h, r[:n]) {
		case waiting:
			return used
		case sealed:
			h.sealed += int64(len(r))
			return len(b)
		}
		used += n
	}
	return used
}

// noRecord is why a direction is given up where no record begins.
func (h *half) noRecord() string {
	if h.begun {
		return reasonBadRecord
	}
	return reasonNoTLS
}

// record takes one record.
func (d *Decrypter) record(t *connection, h *half, r []byte) verdict {
	if !t.protects(h, r[0]) {
		return d.content(t, h, r[0], r[recordHeader:])
	}
	if h.keys == nil {
		if v := d.unlock(t, h, r); h.keys == nil {
			return v
		}
	}
	plain, contentType, ok := h.keys.open(d.plain, h.seq, r)
	if !ok {
		return d.refuse(t, h, r)
	}
	h.seq++
	d.counters.Records++
	if h.lenient {
		d.settle(t, h)
	}
	if t.lost {
		t.trials = min(trialBytes, t.trials+trialPerByte*int64(len(plain)))
	}
	return d.content(t, h, contentType, plain)
}

// protects says whether a record of a type is encrypted.
func (t *connection) protects(h *half, contentType byte) bool {
	if t.n.version == versionTLS13 {
		return contentType == contentApplication
	}
	return h.changed || contentType == contentApplication
}

// content takes the plain content of a record.
func (d *Decrypter) content(t *connection, h *half, contentType byte, b []byte) verdict {
	switch contentType {
	case contentApplication:
		d.emitPlain(t, h, b)
	case contentHandshake:
		d.handshake(t, h, b)
	case contentAlert:
		t.alert(h, b)
	case contentChangeCipherSpec:
		t.changeCipher(h)
	}
	return taken
}

// emitPlain gives out plain text of the application.
func (d *Decrypter) emitPlain(t *connection, h *half, b []byte) {
	if len(b) == 0 {
		return
	}
	d.counters.PlainBytes += int64(len(b))
	d.event = reassembly.Event{Kind: reassembly.Data, Conn: t.tcp, Side: h.side, Offset: h.plain, Data: b, At: h.at}
	h.plain += int64(len(b))
	d.emit()
}

// changeCipher takes a ChangeCipherSpec, which in TLS 1.3 means nothing (RFC
// 8446, section D.4).
func (t *connection) changeCipher(h *half) {
	if t.n.version == versionTLS13 || t.n.retried {
		return
	}
	h.changed, h.keys, h.seq = true, nil, 0
	if n := t.n; n.version != 0 && !n.helloDone && !t.lost && t.roleOf(h.side) == server {
		t.facts.Resumed = BySessionID
		if n.sentTicket {
			t.facts.Resumed = ByTicket
		}
	}
}

// refuse takes a record that does not open. In TLS 1.3 it may be one under
// keys of before: early data, or the handshake where its secrets are missing.
func (d *Decrypter) refuse(t *connection, h *half, r []byte) verdict {
	if h.lenient {
		h.doubtful += int64(len(r))
		return taken
	}
	return d.giveUp(t, h, reasonBadRecord)
}

// settle takes the news that the records passed over were rightly so.
func (d *Decrypter) settle(t *connection, h *half) {
	if h.early && h.doubtful > 0 {
		d.report(t, h, reasonEarly, h.doubtful)
	}
	h.lenient, h.early, h.doubtful = false, false, 0
}
