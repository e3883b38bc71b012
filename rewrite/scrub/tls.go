package scrub

import (
	"errors"

	"pulsar-dissect/decrypt"
	"pulsar-dissect/reassembly"
)

// Types of records (RFC 8446, section 5.1).
const (
	recordChangeCipher = 20
	recordAlert        = 21
	recordHandshake    = 22

	plainAlert = 2 // bytes; encrypted ones have more
)

// tlsConn is a TLS connection. Of its records the headers stay, alerts in plain
// text, and of the handshake what does not name or prove anybody; the rest is
// overwritten.
type tlsConn struct {
	retried bool // the server asked for another hello: ChangeCipherSpec means nothing
	streams [2]tlsStream
}

// tlsStream makes one direction anew.
type tlsStream struct {
	begun   bool
	next    int64  // offset of the byte that comes next
	lost    bool   // it is not known where a record begins
	opaque  bool   // what is in handshake records is encrypted, or cannot be followed
	header  []byte // of the record at hand, as far as it came
	left    int    // bytes to come of its body
	held    []byte // bytes up to next that wait for the end of a header or of a message
	message []byte // a handshake message, as far as it came
	at      []int  // where its bytes are in held
	passing int    // bytes to come of a message that is too long
}

// Records takes the bytes of TLS connections.
func (s *Streams) Records(r decrypt.Raw) {
	t := s.tls[r.Conn.ID]
	if t == nil {
		t = &tlsConn{}
		s.tls[r.Conn.ID] = t
	}
	x, of := &t.streams[r.Side], streamOf{r.Conn.ID, r.Side}
	switch gap := r.Offset - x.next; {
	case !x.begun:
		x.begun, x.next, x.lost = true, r.Offset, !r.Aligned
	case gap > 0:
		s.flushTLS(x, of)
		x.skip(gap)
	}
	at := len(x.held)
	x.held = append(x.held, r.Data...)
	x.next += int64(len(r.Data))
	if x.lost {
		at += x.find(r.Data)
	}
	for at < len(x.held) {
		at += s.record(t, x, at)
	}
	switch {
	case len(x.held) > mostHeld:
		x.opaque = true
	case !x.lost && (len(x.message) > 0 || len(x.header) > 0 && len(x.header) < decrypt.RecordHeader):
		return
	}
	s.flushTLS(x, of)
}

// mostHeld is how many bytes of a direction wait for the end of a message. There
// may be other records within it.
const mostHeld = 4 * decrypt.DefaultHandshakeMessage

// endTLS keeps what waits for bytes that do not come.
func (s *Streams) endTLS(c *reassembly.Conn) {
	t := s.tls[c.ID]
	if t == nil {
		return
	}
	for side := range t.streams {
		s.flushTLS(&t.streams[side], streamOf{c.ID, reassembly.Side(side)})
	}
	delete(s.tls, c.ID)
}

// flushTLS keeps the bytes that were held. A header or a message of which not all
// came is overwritten.
func (s *Streams) flushTLS(x *tlsStream, of streamOf) {
	if n := len(x.header); n < decrypt.RecordHeader {
		mask(x.held[len(x.held)-n:])
	}
	for _, at := range x.at[min(len(x.at), messageHeader):] {
		x.held[at] = masked
	}
	if len(x.held) > 0 {
		s.failed = errors.Join(s.failed, s.spool.add(of, x.next-int64(len(x.held)), x.held))
	}
	x.held, x.message, x.at = x.held[:0], nil, nil
}

// skip passes over bytes that were not captured. What follows is no longer read,
// but for the headers of records.
func (x *tlsStream) skip(gap int64) {
	x.next += gap
	x.opaque, x.passing = true, 0
	if x.lost = x.lost || gap > int64(x.left) || len(x.header) > 0 && len(x.header) < decrypt.RecordHeader; x.lost {
		x.header, x.left = nil, 0
		return
	}
	x.left -= int(gap)
	x.endRecord()
}

// find overwrites the bytes ahead of the first record among those that came, and
// says how many these are.
func (x *tlsStream) find(b []byte) int {
	at := decrypt.FindRecords(b)
	if x.lost = at < 0; x.lost {
		at = len(b)
	}
	came := x.held[len(x.held)-len(b):]
	mask(came[:at])
	return at
}

// record takes bytes of a header or of a body at a position of held, and says how
// many.
func (s *Streams) record(t *tlsConn, x *tlsStream, at int) int {
	b := x.held[at:]
	if len(x.header) < decrypt.RecordHeader {
		n := min(len(b), decrypt.RecordHeader-len(x.header))
		if x.header = append(x.header, b[:n]...); len(x.header) < decrypt.RecordHeader {
			return n
		}
		size, ok := decrypt.RecordSize(x.header)
		if !ok {
			mask(x.held[at+n-decrypt.RecordHeader:])
			x.lost, x.header = true, nil
			return len(b)
		}
		x.left = size - decrypt.RecordHeader
		x.endRecord()
		return n
	}
	n := min(len(b), x.left)
	s.body(t, x, at, n)
	x.left -= n
	x.endRecord()
	return n
}

// endRecord makes way for the next record where the one at hand has ended.
func (x *tlsStream) endRecord() {
	if x.left == 0 {
		x.header = nil
	}
}

// body replaces n bytes of a record's body at a position of held.
func (s *Streams) body(t *tlsConn, x *tlsStream, at, n int) {
	size, _ := decrypt.RecordSize(x.header)
	size -= decrypt.RecordHeader
	switch kind := x.header[0]; {
	case kind == recordChangeCipher:
		x.opaque = x.opaque || !t.retried
		if size > 1 {
			mask(x.held[at : at+n])
		}
	case kind == recordAlert && size == plainAlert:
	case kind == recordHandshake && !x.opaque:
		s.handshake(t, x, at, n)
	default:
		mask(x.held[at : at+n])
	}
}

// messageHeader is the type and the size of a handshake message, in bytes.
const messageHeader = 4

// handshake takes bytes of handshake messages, which begin and end anywhere.
func (s *Streams) handshake(t *tlsConn, x *tlsStream, at, n int) {
	for end := at + n; at < end; {
		if x.passing > 0 {
			n := min(x.passing, end-at)
			mask(x.held[at : at+n])
			x.passing, at = x.passing-n, at+n
			continue
		}
		x.message, x.at = append(x.message, x.held[at]), append(x.at, at)
		at++
		s.messageSoFar(t, x)
	}
}

// messageSoFar replaces a handshake message once all of it is there.
func (s *Streams) messageSoFar(t *tlsConn, x *tlsStream) {
	m := x.message
	if len(m) < messageHeader {
		return
	}
	size := messageHeader + int(m[1])<<16 + int(m[2])<<8 + int(m[3])
	switch {
	case size > decrypt.DefaultHandshakeMessage:
		x.passing = size - messageHeader
	case len(m) < size:
		return
	default:
		s.message(t, m[0], m[messageHeader:])
		for i, at := range x.at {
			x.held[at] = m[i]
		}
	}
	x.message, x.at = x.message[:0], x.at[:0]
}
