package decrypt

import (
	"bytes"
	"math"

	"pulsar-dissect/reassembly"
)

// hole is where a direction lost its records to a gap. It is taken up again at
// the first record that opens under one of the next sequence numbers: its tag
// is the proof, so nothing is guessed. What the application lost follows from
// the sizes of what is missing.
type hole struct {
	bytes    int64 // of the stream since the last whole record
	captured int64 // of these
	next     int64 // bytes to the next record, -1 if that is not known
	cause    reassembly.Cause
	acked    bool
	trials   []trial
}

// trial is a key that the next record may be under.
type trial struct {
	keys   opener
	secret []byte
	stage  stage
	first  uint64 // sequence number of the first record that may come
	data   uint64 // sequence number of the first record whose content may be missing
	begins bool   // the application has no data under keys of before
}

// Limits of the search behind a gap.
const (
	mostTries    = 4096     // sequence numbers that one record is tried with
	trialBytes   = 32 << 20 // bytes that all tries of a connection may take, each with
	trialCost    = 1 << 10  // bytes that stand for the work of any try, and
	trialPerByte = 4        // bytes that each opened one earns anew
)

// gap takes the news that bytes of a direction are missing.
func (d *Decrypter) gap(t *connection, h *half, e *reassembly.Event) {
	t.lost = true
	switch {
	case h.reason != "":
		return
	case h.waits != "":
		d.seal(t, h, h.waits)
		d.tell(t, h, false)
		return
	case t.n.version == 0 || !t.n.hello:
		d.seal(t, h, reasonGap)
		d.tell(t, h, false)
		return
	case h.hole == nil:
		h.hole = &hole{cause: e.Cause, acked: e.Acked}
		if len(h.buf) > 0 {
			h.hole.next = -1
		}
		if len(h.buf) >= recordHeader {
			h.hole.next = int64(h.missing())
		}
	case len(h.buf) > 0:
		h.hole.next = -1
	}
	o := h.hole
	o.pass(len(h.buf))
	o.bytes, o.captured = o.bytes+h.doubtful, o.captured+h.doubtful
	o.bytes += e.Bytes
	if o.next -= e.Bytes; o.next < 0 {
		o.next = -1
	}
	h.message, h.passing = nil, 0
	h.lenient, h.early, h.doubtful = false, false, 0
	d.consume(h, len(h.buf))
}

// pass counts captured bytes that are not opened.
func (o *hole) pass(n int) {
	o.bytes += int64(n)
	o.captured += int64(n)
}

// search looks for the record at which a direction can be taken up again.
func (d *Decrypter) search(t *connection, h *half, b []byte) {
	o := h.hole
	if n := int(min(o.next, int64(len(b)))); n > 0 {
		o.next -= int64(n)
		o.pass(n)
		b = b[n:]
	}
	d.keep(h, b)
	at := 0
	for h.reason == "" && t.trials > 0 {
		at += findRecord(h.buf[at:], t.n.version)
		rest := h.buf[at:]
		if len(rest) < recordHeader || len(rest) < recordSize(rest) {
			o.pass(at)
			d.consume(h, at)
			return
		}
		n := recordSize(rest)
		h.at = completed(h.spans, at+n)
		if d.resume(t, h, rest[:n], at) {
			d.consume(h, at+n)
			d.again(t, h)
			return
		}
		at++
	}
	d.seal(t, h, reasonGap)
}

// findRecord is the position of the first header of a protected record in b,
// or of the bytes at its end that may begin one.
func findRecord(b []byte, version uint16) int {
	for at := 0; ; at++ {
		i := bytes.IndexByte(b[at:], 3)
		if i < 0 {
			return max(0, len(b)-1)
		}
		at += i
		switch {
		case at == 0:
		case at-1+recordHeader > len(b):
			return at - 1
		case plausible(b[at-1:]) && (b[at-1] == contentApplication || version != versionTLS13 && b[at-1] != contentChangeCipherSpec):
			return at - 1
		}
	}
}

// resume tries a record, which lies behind that many bytes of the buffer.
func (d *Decrypter) resume(t *connection, h *half, r []byte, behind int) bool {
	o := h.hole
	for _, x := range d.trials(t, h) {
		tries := min(uint64(o.bytes)/uint64(recordHeader+leastBody[contentApplication])+2, mostTries)
		for seq := x.first; seq < x.first+tries && t.trials > 0; seq++ {
			t.trials -= int64(len(r)) + trialCost
			plain, contentType, ok := x.keys.open(d.plain, seq, r)
			if !ok {
				continue
			}
			o.pass(behind)
			h.hole, h.changed = nil, true
			h.keys, h.secret, h.stage, h.seq = x.keys, x.secret, x.stage, seq+1
			d.lost(t, h, o, &x, seq)
			d.content(t, h, contentType, plain)
			return true
		}
	}
	return false
}

// trials are the keys that the record behind the gap may be under.
func (d *Decrypter) trials(t *connection, h *half) []trial {
	o, n, by := h.hole, t.n, t.roleOf(h.side)
	if o.trials != nil {
		return o.trials
	}
	switch {
	case n.suite == nil:
	case n.version != versionTLS13 && h.keys != nil:
		o.trials = []trial{{keys: h.keys, first: h.seq, data: h.seq}}
	case n.version != versionTLS13 && n.pair[by] != nil:
		o.trials = []trial{{keys: n.pair[by], data: 1, begins: true}} // number 0 is Finished
	case n.version == versionTLS13:
		o.trials = d.trials13(t, h)
	}
	return o.trials
}

func (d *Decrypter) trials13(t *connection, h *half) (list []trial) {
	if h.keys == nil && d.unlock13(t, h) != taken {
		h.waits = ""
		return nil
	}
	now := trial{keys: h.keys, secret: h.secret, stage: h.stage, first: h.seq, data: h.seq}
	// The server's first records may be tickets.
	now.begins = h.plain == 0 && t.roleOf(h.side) == server
	next := trial{stage: stageApplication}
	if h.stage == stageHandshake {
		now.begins, now.data = true, math.MaxUint64
		next.begins = true
		kind := trafficKinds[t.roleOf(h.side)][stageApplication]
		if e := d.keys.of(t.n.clientRandom, kind); e != nil {
			next.secret = e[kind]
		}
	} else {
		next.secret = t.n.suite.nextSecret(h.secret)
	}
	list = append(list, now)
	if next.keys = t.n.suite.opener13(next.secret); next.keys != nil {
		list = append(list, next)
	}
	return list
}

// lost gives out how much of the plain text is missing, as far as the number of
// the records and the bytes that are missing tell: of a block cipher's padding
// they do not. Where the handshake is among what is missing, they tell nothing.
func (d *Decrypter) lost(t *connection, h *half, o *hole, x *trial, seq uint64) {
	records := int64(max(seq, x.data) - x.data)
	if x.begins && records == 0 {
		return
	}
	n := int64(0)
	if !x.begins {
		overhead := int64(longestRecord - x.keys.plainSize(longestRecord))
		n = max(1, o.bytes-records*overhead)
	}
	d.event = reassembly.Event{Kind: reassembly.Gap, Conn: t.tcp, Side: h.side, Offset: h.plain, Bytes: n, Cause: o.cause, Acked: o.acked, At: h.at}
	h.plain += n
	d.emit()
}
