package decrypt

import (
	"bytes"

	"pulsar-dissect/reassembly"
)

// opening is a connection of which it is not yet known whether it is TLS.
type opening struct {
	sides [2]start
}

// start is what came of a direction so far.
type start struct {
	base   int64 // offset of the first byte behind a PROXY preface
	held   []byte
	at     []reassembly.Position // of each byte of held
	lost   bool                  // its first bytes are not known
	passed bool                  // and what came does not look like TLS
}

// undecided is the state of all connections before their first bytes.
var undecided = &opening{}

// told is how many bytes tell TLS at the start of a stream.
const told = 3

// undecided takes an event of a connection that may be TLS.
func (d *Decrypter) undecided(o *opening, e *reassembly.Event) {
	s := o.sides[e.Side]
	switch e.Kind {
	case reassembly.Data:
		switch {
		case s.passed:
			d.pass(e)
		case s.lost || !e.Conn.StartKnown(e.Side):
			d.middle(o, e)
		default:
			d.first(o, s, e)
		}
	case reassembly.Gap:
		if len(s.held) > 0 {
			d.plainText(o, e)
			return
		}
		s.lost = true
		o.put(e, s)
		d.pass(e)
	case reassembly.Ended:
		d.plainText(o, e)
	default:
		d.pass(e)
	}
}

// put changes the state of a direction.
func (o *opening) put(e *reassembly.Event, s start) {
	if o == undecided {
		o = &opening{}
		e.Conn.Encryption = o
	}
	o.sides[e.Side] = s
}

// first looks at bytes from the start of a stream. Too few to tell are held
// back.
func (d *Decrypter) first(o *opening, s start, e *reassembly.Event) {
	if n := prefaceSize(e.Data); n > 0 && s.base == e.Offset {
		d.preface(o, s, e, n)
		return
	}
	b := e.Data[:min(told, len(e.Data))]
	if len(s.held) > 0 {
		b = append(bytes.Clone(s.held), b...)
	}
	switch {
	case len(b) >= told && beginsTLS(b):
		d.encryptedFrom(o, e)
	case len(b) >= told || !beginsTLS(b):
		d.plainText(o, e)
	default:
		s.held = bytes.Clone(b)
		for range e.Data {
			s.at = append(s.at, e.At)
		}
		o.put(e, s)
	}
}

// beginsTLS says whether b, of which 3 bytes count, begins a TLS stream as far
// as it goes.
func beginsTLS(b []byte) bool {
	return (b[0] >= contentChangeCipherSpec && b[0] <= contentApplication) &&
		(len(b) < 2 || b[1] == 3) && (len(b) < 3 || b[2] <= 4)
}

// preface passes on a PROXY protocol preface, behind which TLS may begin.
func (d *Decrypter) preface(o *opening, s start, e *reassembly.Event, n int) {
	rest := *e
	rest.Data, rest.Offset = e.Data[n:], e.Offset+int64(n)
	s.base = rest.Offset
	o.put(e, s)
	e.Data = e.Data[:n]
	d.pass(e)
	if len(rest.Data) > 0 {
		d.first(rest.Conn.Encryption.(*opening), s, &rest)
	}
}

// prefaceSize is the size in bytes of the PROXY protocol preface at the start
// of b (HAProxy's specification), 0 if there is no whole one.
func prefaceSize(b []byte) int {
	const (
		lineLongest = 107
		lineStart   = "PROXY "
		signature   = "\r\n\r\n\x00\r\nQUIT\n"
		headerSize  = 16
	)
	if bytes.HasPrefix(b, []byte(lineStart)) {
		if i := bytes.Index(b[:min(len(b), lineLongest)], []byte("\r\n")); i > 0 {
			return i + 2
		}
		return 0
	}
	if len(b) < headerSize || string(b[:len(signature)]) != signature {
		return 0
	}
	if n := headerSize + int(b[14])<<8 + int(b[15]); n <= len(b) {
		return n
	}
	return 0
}

// plainText takes the news that a connection is not TLS.
func (d *Decrypter) plainText(o *opening, e *reassembly.Event) {
	e.Conn.Encryption = nil
	o.giveBack(func(side reassembly.Side, offset int64, b []byte, at reassembly.Position) {
		d.event = reassembly.Event{Kind: reassembly.Data, Conn: e.Conn, Side: side, Offset: offset, Data: b, At: at}
		d.emit()
	})
	d.pass(e)
}

// encryptedFrom takes the news that a connection is TLS, by the bytes at hand.
func (d *Decrypter) encryptedFrom(o *opening, e *reassembly.Event) {
	d.counters.Connections++
	t := newConnection(e.Conn)
	e.Conn.Encryption = t
	for i := range t.halves {
		h, s := &t.halves[i], &o.sides[i]
		h.plain, t.lost = s.base, t.lost || s.lost
		h.aligned = !s.lost && e.Conn.StartKnown(h.side)
		if s.passed {
			d.giveUp(t, h, reasonNoHandshake)
		}
	}
	o.giveBack(func(side reassembly.Side, offset int64, b []byte, at reassembly.Position) {
		d.raw(Raw{e.Conn, side, offset, b, t.halves[side].aligned})
		d.feed(t, &t.halves[side], b, at)
	})
	d.encrypted(t, e)
}

// giveBack gives the bytes that were held back.
func (o *opening) giveBack(take func(reassembly.Side, int64, []byte, reassembly.Position)) {
	for side := range o.sides {
		s := &o.sides[side]
		for i := range s.held {
			take(reassembly.Side(side), s.base+int64(i), s.held[i:i+1], s.at[i])
		}
	}
}
