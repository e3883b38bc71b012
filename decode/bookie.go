package decode

import (
	"slices"

	"pulsar-dissect/decode/bookie"
	"pulsar-dissect/decode/wire"
)

// BookieFrame is one frame between a broker and a bookie. It is reused, and all
// its slices are borrowed: valid until the next pull.
type BookieFrame struct {
	*bookie.Packet
	Bytes      []byte // all of it that was captured
	Conn       *Conn
	Direction  Direction
	Offset     int64    // of its first byte in the direction's stream
	Size       int64    // bytes, with its length
	First      Position // packet of its first byte
	Last       Position // packet that completed it, or that has the last byte before the hole
	Incomplete bool     // the capture does not have all of it
	Have       int64    // Incomplete: bytes up to the first hole
	Resync     bool     // first frame after bytes were skipped or a gap
	Issues     []string

	entry Frame // what ReadStored read last
}

// BookieTypes is where the types of frames to and from bookies begin, which
// have a name as those of Pulsar do: the operation's number and this.
const BookieTypes = 1 << 16

// Type is the type of the frame, for TypeName.
func (f *BookieFrame) Type() int32 { return BookieTypes + int32(f.Op) }

// ReadStored reads the i-th entry of Stored as what a broker stores of a SEND: the
// part of a SEND frame that follows the command. ok is false where the entry is
// none of a message: a cursor's position, a schema. The frame has no command;
// it is valid until the next call.
func (f *BookieFrame) ReadStored(i int) (entry *Frame, ok bool) {
	e := &f.entry
	e.Conn, e.Direction, e.Offset, e.First, e.Last = f.Conn, f.Direction, f.Offset, f.First, f.Last
	return e, e.readStored(f.Stored[i].Body, f.Stored[i].Cut)
}

// EachIssue calls take for everything that is wrong with the frame.
func (f *BookieFrame) EachIssue(take func(text string)) {
	for _, text := range f.Issues {
		take(text)
	}
	w := f.Fields
	if w == nil {
		w = f.Header
	}
	if w == nil || f.Incomplete {
		return
	}
	for _, issue := range w.Issues {
		take(issue.String())
	}
}

// readStored fills the frame with an entry as a bookie has it. It says whether
// it is one of a message.
func (f *Frame) readStored(b []byte, cut bool) bool {
	f.Type, f.Command, f.Sub, f.Base = -1, nil, -1, wire.Walk{}
	f.Size, f.Incomplete, f.Have = int64(len(b)), cut, int64(len(b))
	f.clear()
	f.readSection(b)
	if m := magic(b); m == magicBrokerEntry || m == magicChecksum {
		return true
	}
	return f.HasMetadata && f.PayloadFault == "" && f.Metadata.Found&^tolerable == 0
}

// tellBookie looks whether a stream in which nothing was found so far is one of
// a bookie. It says whether the search need not go on.
func (d *Decoder) tellBookie(s *stream, final bool) bool {
	c := s.conn
	if s.frames > 0 || c.forced || s.protocol != openingUndecided {
		return false
	}
	if s.base == s.preface {
		switch what, _, role := d.looker.Look(s.buf); {
		case what >= bookie.Cut:
			d.speaksBookie(s, role)
			return true
		case what == bookie.Short && !final:
			return true
		}
	}
	if c.bookie != nil {
		s.protocol = openingBookie
		s.hunt.begin(0)
		return false
	}
	if !c.hasPort(bookie.DefaultPort) {
		return false
	}
	at, next := d.looker.Search(s.buf, s.hunt.bookie, final)
	if s.hunt.bookie = next; at >= 0 {
		d.skip(s, at, "search for the next frame")
		_, _, role := d.looker.Look(s.buf)
		d.speaksBookie(s, role)
		return true
	}
	return false
}

// speaksBookie takes it for certain that a stream is one of a bookie, from the
// buffer on.
func (d *Decoder) speaksBookie(s *stream, role bookie.Role) {
	c := s.conn
	if c.bookie == nil {
		c.bookie = new(bookie.Reader)
	}
	if role != bookie.Either && c.asker == unknownAsker {
		c.asker = int8(s.side)
		if role == bookie.Response {
			c.asker = int8(s.side.Other())
		}
	}
	c.solid = true
	c.FirstBytes[s.side] = nil
	s.protocol, s.mode, s.badStart = openingBookie, modeFrames, false
	s.resync = s.base != s.preface || !c.TCP.StartKnown(s.side)
}

func (c *Conn) hasPort(port uint16) bool {
	return c.TCP.Ends[0].Port == port || c.TCP.Ends[1].Port == port
}

// sightOf gives the sight that one of package bookie is here.
var sightOf = [...]sight{bookie.None: sightNone, bookie.Short: sightShort, bookie.Cut: sightCut, bookie.Whole: sightWhole}

func (d *Decoder) lookBookie(b []byte) sight {
	what, _, _ := d.looker.Look(b)
	return sightOf[what]
}

// loseBookie gives up the byte at which no frame begins after all: TLS does if
// both sides agreed to start it.
func (d *Decoder) loseBookie(s *stream) {
	if isTLS(s.buf) {
		d.foreign(s, openingTLS)
		return
	}
	s.seek(1)
}

// bookieFrames takes whole frames from the start of b, as frames does.
func (d *Decoder) bookieFrames(s *stream, b []byte, p positions) (used int, end ending) {
	direct := p.first.Order != 0
	for {
		size, ok := bookie.Size(b[used:])
		switch {
		case !ok:
			return used, endBad
		case size == 0 || len(b)-used < size:
			return used, endShort
		}
		from, to := s.base+int64(used), s.base+int64(used+size)
		if !direct {
			p = s.positions(from, to)
		}
		d.acceptBookie(s, b[used:used+size], from, int64(size), p)
		used += size
	}
}

// acceptBookie takes a frame of which raw was captured.
func (d *Decoder) acceptBookie(s *stream, raw []byte, offset, size int64, p positions) {
	c := s.conn
	s.frames++
	q := queued{kind: BookieSeen, side: s.side, offset: offset, first: p.first, last: p.last, frameType: -1,
		raw: raw, size: size, incomplete: int64(len(raw)) < size, resync: s.resync}
	s.resync = false
	if c.queue.len() == 0 && !c.behind(s.side, p.last.Order) {
		d.emitBookie(c, &q, c.roleOf(s.side, -1))
		return
	}
	q.raw = slices.Clone(raw)
	d.put(c, q)
}

// emitBookie gives out a frame, unless not even its operation was captured.
func (d *Decoder) emitBookie(c *Conn, q *queued, dir Direction) {
	f := &d.bookieFrame
	f.Bytes = q.raw
	f.Packet = c.bookie.Read(q.raw[sizeField:], int(q.size-sizeField))
	f.Conn, f.Direction, f.Offset, f.Size, f.First, f.Last = c, dir, q.offset, q.size, q.first, q.last
	f.Incomplete, f.Have, f.Resync = q.incomplete, int64(len(q.raw)), q.resync
	f.Issues = f.Issues[:0]
	if f.Op == 0 && f.Incomplete {
		return
	}
	if f.Fault != "" && !f.Incomplete {
		f.Issues = append(f.Issues, f.Fault)
	}
	switch asks := dir == ClientToServer; {
	case f.Role == bookie.Either && asks:
		f.Role = bookie.Request
	case f.Role == bookie.Either:
		f.Role = bookie.Response
	case asks != (f.Role == bookie.Request):
		f.Issues = append(f.Issues, "role_conflict")
	}
	c.Protocol = BookKeeper
	c.Frames[dir]++
	d.event = Event{Kind: BookieSeen, Conn: c, Direction: dir, Offset: f.Offset, At: f.Last, Bookie: f}
	d.emit()
}
