package decrypt

import (
	"bytes"

	"pulsar-dissect/reassembly"
)

// stage is which keys of TLS 1.3 a direction uses.
type stage uint8

const (
	stageHandshake stage = iota
	stageApplication
)

// half is one direction of a TLS connection.
type half struct {
	side    reassembly.Side
	aligned bool                // the next byte begins a record, or is inside one that is known
	latest  reassembly.Position // latest packet among all bytes so far
	at      reassembly.Position // the same of the record at hand
	buf     []byte              // bytes of records not yet used
	spans   []span              // which packets brought the bytes of buf
	plain   int64               // offset of the next byte of plain text
	hole    *hole               // where the direction was lost, nil while it is not
	begun   bool                // a record was seen

	changed bool   // ChangeCipherSpec was sent: up to TLS 1.2 records are protected from there on
	stage   stage  // TLS 1.3
	secret  []byte // TLS 1.3: traffic secret in use
	keys    opener // nil until the first protected record
	seq     uint64 // of the next record under keys

	message []byte // start of a handshake message
	passing int    // bytes to come of a handshake message that is too long

	waits    string // what the next record waits for, empty if nothing
	held     int    // bytes of buf that count as waiting
	lenient  bool   // records that do not open are passed over until one does
	early    bool   // then they are early data
	doubtful int64  // bytes passed over so
	reason   string // why no more is opened, empty while it is
	sealed   int64  // bytes not opened and not yet reported
	told     bool   // some were reported
}

func (h *half) use(s *suite, secret []byte) {
	h.secret, h.seq = secret, 0
	h.keys = s.opener13(secret)
}

// feed takes the next bytes of the stream.
func (d *Decrypter) feed(t *connection, h *half, b []byte, at reassembly.Position) {
	if at.Order > h.latest.Order {
		h.latest = at
	}
	if first := &t.facts.FirstBytes[h.side]; *first == nil {
		*first = bytes.Clone(b[:min(len(b), firstBytes)])
	}
	for len(b) > 0 && h.reason == "" {
		n := len(b)
		switch {
		case h.hole != nil:
			d.search(t, h, b)
		case len(h.buf) == 0:
			d.keep(h, b[d.records(t, h, b, nil):])
		case h.waits != "":
			d.keep(h, b)
			d.again(t, h)
		default:
			n = min(n, h.missing())
			d.keep(h, b[:n])
			d.again(t, h)
		}
		b = b[n:]
	}
	h.sealed += int64(len(b))
}

// keep adds bytes to the buffer.
func (d *Decrypter) keep(h *half, b []byte) {
	if h.reason != "" || len(b) == 0 {
		return
	}
	if h.buf == nil {
		h.buf = d.buffers.get()
	}
	h.buf = append(h.buf, b...)
	h.spans = append(h.spans, span{len(h.buf), h.latest})
}

// span says which packet was the latest among all up to an end in the buffer.
type span struct {
	end    int
	latest reassembly.Position
}

// completed is the packet that completed the first n bytes of the buffer.
func completed(spans []span, n int) reassembly.Position {
	i := 0
	for spans[i].end < n {
		i++
	}
	return spans[i].latest
}

// consume forgets the first n bytes of the buffer.
func (d *Decrypter) consume(h *half, n int) {
	switch n {
	case 0:
		return
	case len(h.buf):
		d.buffers.put(h.buf)
		h.buf, h.spans = nil, h.spans[:0]
		return
	}
	h.buf = h.buf[:copy(h.buf, h.buf[n:])]
	left := h.spans[:0]
	for _, s := range h.spans {
		if s.end > n {
			left = append(left, span{s.end - n, s.latest})
		}
	}
	h.spans = left
}

// missing is how many bytes the record in the buffer still needs, at least
// those of its header.
func (h *half) missing() int {
	if len(h.buf) < recordHeader {
		return recordHeader - len(h.buf)
	}
	return recordSize(h.buf) - len(h.buf)
}

// again works on the buffer.
func (d *Decrypter) again(t *connection, h *half) {
	if len(h.buf) == 0 {
		return
	}
	d.consume(h, d.records(t, h, h.buf, h.spans))
}

// bound gives a direction up where too much waits.
func (d *Decrypter) bound(t *connection, h *half) {
	n := 0
	if h.waits != "" {
		n = len(h.buf)
	}
	d.held, h.held = d.held+n-h.held, n
	if n > d.limits.Waiting || n > 0 && d.held > d.limits.WaitingInAll {
		d.counters.WaitingLimit++
		d.seal(t, h, h.waits)
	}
}

// seal gives up a direction with what is in its buffer.
func (d *Decrypter) seal(t *connection, h *half, reason string) {
	h.sealed += int64(len(h.buf))
	d.consume(h, len(h.buf))
	d.held, h.held = d.held-h.held, 0
	d.giveUp(t, h, reason)
}

// giveUp opens nothing more of a direction.
func (d *Decrypter) giveUp(t *connection, h *half, reason string) verdict {
	if h.reason == "" {
		h.reason = reason
		t.facts.note(reason)
	}
	h.sealed += h.doubtful
	if h.hole != nil {
		h.sealed += h.hole.captured
	}
	h.waits, h.hole, h.doubtful = "", nil, 0
	h.message, h.keys, h.secret = nil, nil, nil
	if t.halves[0].reason != "" && t.halves[1].reason != "" {
		t.n.forget()
	}
	return sealed
}

// tell reports the bytes of a direction that was given up: the first of them
// as soon as it is, the others at the end.
func (d *Decrypter) tell(t *connection, h *half, final bool) {
	if h.sealed > 0 && (final || !h.told) {
		h.told = true
		d.report(t, h, h.reason, h.sealed)
		h.sealed = 0
	}
}

// report gives out how many bytes were not opened.
func (d *Decrypter) report(t *connection, h *half, reason string, bytes int64) {
	d.counters.SealedBytes += bytes
	d.event = reassembly.Event{Kind: reassembly.Sealed, Conn: t.tcp, Side: h.side, Offset: h.plain, Bytes: bytes, Reason: reason, At: h.latest}
	d.emit()
}

// end takes the news that no more bytes will come.
func (d *Decrypter) end(t *connection, h *half) {
	if h.waits != "" {
		d.again(t, h)
	}
	switch {
	case h.reason != "":
	case h.waits != "":
		d.seal(t, h, h.waits)
	case h.hole != nil:
		d.seal(t, h, reasonGap)
	case len(h.buf) > 0:
		d.seal(t, h, reasonCut)
	case h.doubtful > 0:
		d.seal(t, h, reasonBadRecord)
	}
	d.tell(t, h, true)
}
