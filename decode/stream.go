package decode

import (
	"slices"

	"pulsar-dissect/reassembly"
)

// mode is what a stream is doing.
type mode uint8

const (
	modeStart   mode = iota // nothing is known of the stream yet
	modeFrames              // at a frame boundary, or in a frame whose size is known
	modeVerify              // where a frame should begin, to be confirmed
	modeDoubt               // a frame whose command is not sound: what follows it decides
	modeSearch              // looking for a frame boundary
	modePass                // in the rest of a frame that the capture cut
	modeForeign             // another protocol
)

// stream cuts one direction of a connection into frames.
type stream struct {
	conn   *Conn
	side   reassembly.Side
	mode   mode
	buf    []byte // bytes not yet used
	base   int64  // stream offset of buf[0]
	spans  []span // which packets brought the bytes of buf
	hunt   hunt   // modeSearch
	proven bool   // the frame at the start of buf is larger than expected, and its command is sound
	carry  int64  // modePass: stream offset where the cut frame ends
	latest Position

	resync    bool // the next frame is the first after a gap or skipped bytes
	first     bool // no bytes came yet
	frames    int
	badStart  bool  // the stream began with bytes that are no frame
	preface   int64 // bytes of a PROXY preface
	checked   bool  // a frame had a right checksum
	chained   bool  // a frame was accepted because frames reach the end of the bytes
	untouched bool  // no byte was skipped
	protocol  opening
}

// span says which packet brought the bytes from an offset on, and the latest
// packet among all up to there.
type span struct {
	offset     int64
	at, latest Position
}

func (s *stream) reset(c *Conn, side reassembly.Side) {
	s.conn, s.side, s.first, s.untouched = c, side, true, true
}

func later(a, b Position) Position {
	if b.Order > a.Order {
		return b
	}
	return a
}

// undecidedSince is the least order of bytes that may yet turn out to be
// frames; false if there are none.
func (s *stream) undecidedSince() (uint64, bool) {
	least, ok := s.conn.TCP.HeldSince(s.side)
	if (s.mode == modeSearch || s.mode == modeVerify || s.mode == modeDoubt) && len(s.spans) > 0 {
		if o := s.spans[0].at.Order; !ok || o < least {
			least, ok = o, true
		}
	}
	if s.mode == modeFrames && len(s.buf) > 0 && s.conn.TCP.Lost(s.side) {
		// what there is of this frame will be handed out as incomplete
		if o := s.latest.Order; !ok || o < least {
			least, ok = o, true
		}
	}
	return least, ok
}

// data takes the next bytes of the stream.
func (d *Decoder) data(s *stream, offset int64, b []byte, at Position) {
	s.latest = later(s.latest, at)
	s.begin(offset)
	for len(b) > 0 && s.mode != modeForeign {
		n := 0
		switch {
		case s.mode == modePass:
			n = int(min(s.carry-offset, int64(len(b))))
			if offset+int64(n) == s.carry {
				s.mode = modeVerify
			}
		case s.mode == modeFrames && len(s.buf) == 0:
			s.base = offset
			if n, _ = d.frames(s, b, positions{at, s.latest}); n == 0 {
				n = d.keep(s, offset, b, at)
				d.advance(s, false)
			}
		case s.mode == modeFrames:
			n = d.keep(s, offset, b[:min(len(b), s.missing())], at)
			d.advance(s, false)
		default:
			n = d.keep(s, offset, b, at)
			d.advance(s, false)
		}
		offset, b = offset+int64(n), b[n:]
	}
}

// begin decides how a stream starts, when its first bytes come.
func (s *stream) begin(offset int64) {
	if !s.first {
		return
	}
	s.first = false
	if s.conn.forced {
		s.mode = modeFrames
	}
	if offset != 0 || !s.conn.TCP.StartKnown(s.side) {
		s.seek(0)
	}
}

// keep adds bytes to the buffer.
func (d *Decoder) keep(s *stream, offset int64, b []byte, at Position) int {
	if len(s.buf) == 0 {
		s.base, s.spans = offset, s.spans[:0]
	}
	if s.spans == nil {
		s.spans = d.buffers.takeSpans()
	}
	switch n := len(s.spans); {
	case n == mostSpans:
		s.spans[n-1].latest = s.latest
	case n == 0 || s.spans[n-1].at.Order != at.Order:
		s.spans = append(s.spans, span{offset, at, s.latest})
	}
	if n := len(s.buf) + len(b); n > cap(s.buf) {
		s.buf = d.buffers.grow(s.buf, n, s.likely(b))
	}
	s.buf = append(s.buf, b...)
	return len(b)
}

// mostSpans is how many packets of buffered bytes are told apart: bytes may come
// one by one.
const mostSpans = 1 << 16

// likely is how large the buffer will become, as the frame that begins in it,
// or in b, states: a wish, since nothing is allocated by what is merely stated.
func (s *stream) likely(b []byte) int {
	if s.mode != modeFrames {
		return 0
	}
	head := b
	if len(s.buf) >= sizeField {
		head = s.buf
	}
	if len(head) < sizeField {
		return 0
	}
	return int(sizeField + bigEndian(head))
}

// missing is how many bytes the buffered frame still needs, at least those of
// its header.
func (s *stream) missing() int {
	if len(s.buf) < headerSize {
		return headerSize - len(s.buf)
	}
	return int(sizeField + bigEndian(s.buf) - int64(len(s.buf)))
}

// drop forgets the first n bytes of the buffer.
func (d *Decoder) drop(s *stream, n int) {
	if n == 0 {
		return
	}
	s.base += int64(n)
	s.proven = false
	s.hunt.pass(n)
	if n == len(s.buf) {
		s.buf, s.spans = s.buf[:0], s.spans[:0]
		if cap(s.buf) > keptBuffer {
			d.buffers.put(s.buf)
			d.buffers.putSpans(s.spans)
			s.buf, s.spans = nil, nil
		}
		return
	}
	s.buf = append(s.buf[:0], s.buf[n:]...)
	i := 0
	for i+1 < len(s.spans) && s.spans[i+1].offset <= s.base {
		i++
	}
	s.spans = slices.Delete(s.spans, 0, i)
}

// keptBuffer is the largest buffer, in bytes, that an idle stream keeps. There
// may be many thousand streams.
const keptBuffer = 1 << 10

// skip gives up the first n bytes of the buffer: no frame is in them.
func (d *Decoder) skip(s *stream, n int, reason string) {
	if n == 0 {
		return
	}
	s.untouched = false
	e := queued{kind: BytesSkipped, side: s.side, offset: s.base, bytes: int64(n), reason: reason, last: s.positions(s.base, s.base+1).last}
	e.first = e.last
	d.drop(s, n)
	s.resync = true
	d.put(s.conn, e)
}

type positions struct{ first, last Position }

// positions finds the packets of the buffered bytes [from, to).
func (s *stream) positions(from, to int64) (p positions) {
	for i := len(s.spans) - 1; i >= 0; i-- {
		sp := &s.spans[i]
		if sp.offset < to && p.last.Order == 0 {
			p.last = sp.latest
		}
		if sp.offset <= from || i == 0 {
			p.first = sp.at
			return p
		}
	}
	return positions{s.latest, s.latest}
}

// advance works on the buffer. final: no byte follows it directly, since a gap
// or the end of the stream comes.
func (d *Decoder) advance(s *stream, final bool) {
	for len(s.buf) > 0 {
		before, was := len(s.buf), s.mode
		switch s.mode {
		case modeStart:
			d.start(s, final)
		case modeFrames:
			d.buffered(s)
		case modeVerify:
			d.verify(s, final)
		case modeDoubt:
			d.doubt(s, final)
		case modeSearch:
			d.search(s, final)
		case modeForeign:
			d.drop(s, len(s.buf))
		}
		if len(s.buf) == before && s.mode == was {
			return
		}
	}
}

// start tells the protocol from the first bytes.
func (d *Decoder) start(s *stream, final bool) {
	what, proxy := openingOf(s.buf, final)
	switch what {
	case openingUndecided:
	case openingTLS, openingHTTP:
		d.foreign(s, what)
	case openingProxy:
		p := s.positions(s.base, s.base+proxy.Length)
		d.put(s.conn, queued{kind: ProxySeen, side: s.side, offset: s.base, bytes: proxy.Length, proxy: proxy, first: p.first, last: p.last})
		s.preface = proxy.Length
		d.drop(s, int(proxy.Length))
	default:
		s.mode = modeFrames
	}
}

func (d *Decoder) foreign(s *stream, what opening) {
	s.protocol, s.mode = what, modeForeign
	s.remember()
	d.drop(s, len(s.buf))
}

// buffered takes whole frames from the buffer.
func (d *Decoder) buffered(s *stream) {
	n, end := d.frames(s, s.buf, positions{})
	d.drop(s, n)
	switch end {
	case endBad:
		d.lose(s)
	case endUnsound:
		s.mode = modeDoubt
	}
}

// ending says why frames stopped.
type ending uint8

const (
	endShort   ending = iota // the bytes are used up, or the next frame is not whole
	endBad                   // no frame can begin there
	endUnsound               // a whole frame whose command is not sound
)

// frames takes whole frames from the start of b, which is at s.base, and says
// how many bytes it used. Without positions, b is the buffer, which has its
// spans.
func (d *Decoder) frames(s *stream, b []byte, p positions) (used int, end ending) {
	if s.protocol == openingBookie {
		return d.bookieFrames(s, b, p)
	}
	direct := p.first.Order != 0
	for {
		size, end := d.header(s, b[used:], used == 0 && !direct)
		if end == endBad || size == 0 || int64(len(b)-used) < size {
			return used, end
		}
		from := s.base + int64(used)
		if !direct {
			p = s.positions(from, from+size)
		}
		raw := b[used : used+int(size)]
		if !d.frame.read(raw, from, size, p) {
			return used, endUnsound
		}
		d.accept(s, raw)
		used += int(size)
	}
}

// header reads the sizes at the start of b: the size of the frame in bytes, 0
// if that takes more bytes. buffered: b is the buffer.
func (d *Decoder) header(s *stream, b []byte, buffered bool) (size int64, end ending) {
	if len(b) < headerSize {
		return 0, endShort
	}
	total, command := bigEndian(b), bigEndian(b[sizeField:])
	if total < leastTotal || total > d.limits.believed() || command < leastCommand || command > total-sizeField {
		return 0, endBad
	}
	if expected := d.limits.expected(s.conn); total <= expected || buffered && s.proven {
		return sizeField + total, endShort
	} else if command > expected {
		return 0, endBad
	}
	switch v := d.searcher.look(b[:min(int64(len(b)), headerSize+command)], total); {
	case v.what == sightNone:
		return 0, endBad
	case v.what < sightCut:
		return 0, endShort
	}
	s.proven = buffered
	return sizeField + total, endShort
}

// gap takes the news that the bytes [offset, to) are missing.
func (d *Decoder) gap(s *stream, to int64) {
	s.begin(-1)
	if s.mode == modeForeign {
		return
	}
	d.advance(s, true)
	if s.mode == modeFrames && len(s.buf) > 0 {
		d.cut(s)
	} else if s.mode != modePass {
		s.carry = -1
	}
	switch {
	case s.carry > to:
		s.mode = modePass
	case s.carry == to:
		s.mode, s.resync = modeVerify, true
	default:
		s.seek(0)
	}
}

// cut takes the start of a frame whose rest is missing.
func (d *Decoder) cut(s *stream) {
	n := int64(len(s.buf))
	s.carry = -1
	limit := d.limits.expected(s.conn)
	if s.proven || s.protocol == openingBookie {
		limit = d.limits.believed()
	}
	if n < sizeField || bigEndian(s.buf) < leastTotal || bigEndian(s.buf) > limit {
		d.skip(s, int(n), "size field cut")
		return
	}
	size := sizeField + bigEndian(s.buf)
	s.carry = s.base + size
	if s.protocol == openingBookie {
		d.acceptBookie(s, s.buf, s.base, size, s.positions(s.base, s.base+n))
	} else if n >= headerSize+leastCommand {
		f := &d.frame
		if f.readCut(s.buf, s.base, size, s.positions(s.base, s.base+n)) {
			d.accept(s, s.buf)
		}
	}
	d.drop(s, int(n))
}

// end takes the news that no more bytes will come.
func (d *Decoder) end(s *stream) {
	if s.mode == modeForeign {
		return
	}
	d.advance(s, true)
	if s.mode == modeFrames && len(s.buf) > 0 {
		d.cut(s)
	}
	s.buf, s.spans = nil, nil
}
