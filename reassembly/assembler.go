package reassembly

import (
	"bytes"
	"iter"

	"pulsar-dissect/capture"
	"pulsar-dissect/reassembly/segment"
)

// Assembler turns packets into events. It is used for one run.
type Assembler struct {
	limits   Limits
	parser   *segment.Parser
	counters Counters

	flows      map[flow]*Conn
	latest     *Conn // flows[latestFlow], of the packet before; nil: to be looked up
	latestFlow flow
	open       int       // connections not yet ended
	idle       []idle    // all open connections, roughly the longest idle first
	closing    []closing // closed ones, in order of closing, that still take late packets
	waits      []wait    // directions that wait, by when they are due
	held       int       // bytes held in all, with what keeping them takes
	now        Position  // of the packet being processed
	clock      int64     // highest packet time so far, ns

	event Event
	yield func(*Event, error) bool
	done  bool // the reader has gone
}

// flow is a 4-tuple without direction: the lower endpoint first.
type flow struct{ low, high segment.Endpoint }

type closing struct {
	conn     *Conn
	deadline int64 // packet time, ns
}

type idle struct {
	conn *Conn
	last uint64 // Position.Order of its last packet when it was put in
}

// New makes an assembler that finds segments with the given parser.
func New(l Limits, p *segment.Parser) *Assembler {
	return &Assembler{limits: l.withDefaults(), parser: p, flows: map[flow]*Conn{}}
}

// Counters says how often limits were hit.
func (a *Assembler) Counters() Counters { return a.counters }

// Events reads packets and gives events in order of release. Errors of the
// source are passed on, and reading continues.
func (a *Assembler) Events(packets iter.Seq2[capture.Packet, error]) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		a.yield = yield
		var s segment.Segment
		var packet capture.Packet // one for all, since the parser is given its address
		for p, err := range packets {
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			a.now = Position{Packet: p.Number, Order: a.now.Order + 1, Time: p.Time, File: p.File, TimeUnknown: p.TimeUnknown}
			a.clock = max(a.clock, p.Time)
			packet = p
			if a.parser.Parse(&packet, &s) == segment.OK {
				a.segment(&s)
			}
			a.expire()
			if a.done {
				return
			}
		}
		a.finish()
	}
}

// emit gives out the event under construction.
func (a *Assembler) emit(k Kind, c *Conn, s Side) {
	if a.done {
		return
	}
	a.event.Kind, a.event.Conn, a.event.Side = k, c, s
	if !a.yield(&a.event, nil) {
		a.done = true
	}
}

// segment takes one TCP segment.
func (a *Assembler) segment(s *segment.Segment) {
	c := a.find(s)
	side := c.sideOf(s.Source)
	c.Last = a.now
	c.Sides[side].Packets++
	a.observe(c, side, s)
	if doubtful := a.trust(c, side, s); doubtful && c.halves[side].trusted > 0 {
		a.spare(c, side, s)
	} else {
		a.take(c, side, s, doubtful)
	}
	for side := range c.halves {
		if c.halves[side].isLost() {
			a.findLost(c, Side(side))
		}
	}
}

// take takes what a segment says: its acknowledgement goes to the other
// direction before its own payload is looked at.
func (a *Assembler) take(c *Conn, side Side, s *segment.Segment, doubtful bool) {
	if s.Flags&segment.ACK != 0 && s.Flags&segment.RST == 0 {
		a.acknowledge(c, side.Other(), s.Acknowledgement)
	}
	if s.Window == 0 && s.Flags&(segment.RST|segment.SYN) == 0 {
		c.Sides[side].ZeroWindows++
	}
	a.flags(c, side, s)
	switch {
	case s.Length == 0 || s.Flags&segment.RST != 0:
	case doubtful:
		a.spare(c, side, s)
	default:
		a.payload(c, side, s)
	}
	a.finishing(c, side, s)
}

// acknowledge takes the peer's acknowledgement of what a side sent.
func (a *Assembler) acknowledge(c *Conn, side Side, sequence uint32) {
	h := &c.halves[side]
	if h.acknowledge(sequence) && h.isLost() {
		h.lost.acked.add(mark{h.acked, a.moment(c)}, a.limits.AckedHoldTime)
	}
}

// trust counts the checksum and says whether the segment's bytes are in doubt.
// Where no segment of a direction has a right or a partial checksum, the card
// fills in something else, and none is.
func (a *Assembler) trust(c *Conn, side Side, s *segment.Segment) bool {
	h := &c.halves[side]
	switch s.Checksum {
	case segment.Right:
		h.trusted++
	case segment.Wrong:
		c.Sides[side].WrongChecksums++
		return h.trusted > 0 || h.likely > 0
	default:
		h.likely++
	}
	return false
}

// spare keeps the bytes of a segment with a wrong checksum.
func (a *Assembler) spare(c *Conn, side Side, s *segment.Segment) {
	h := &c.halves[side]
	if !h.based || len(s.Data) == 0 || s.Flags&(segment.SYN|segment.RST) != 0 {
		return
	}
	p := piece{offset: h.offset(s.Sequence), data: s.Data, at: a.now, moment: a.moment(c)}
	if passed := h.next - p.offset; passed > 0 {
		p.trim(min(passed, int64(len(p.data))))
	}
	if len(p.data) == 0 || p.offset-h.next > farAway {
		return
	}
	before := h.cost()
	h.dropSpare()
	a.charge(h, before)
	if len(h.spare) >= sparePieces || a.held+p.cost() > a.limits.Held/4 {
		a.doWith(c, side, p)
		return
	}
	before = h.cost()
	p.data = bytes.Clone(p.data)
	h.spare = append(h.spare, p)
	a.charge(h, before)
}

// doWith releases the bytes of a segment with a wrong checksum, and what is
// before them, because no more can be kept.
func (a *Assembler) doWith(c *Conn, side Side, p piece) {
	h := &c.halves[side]
	a.giveUpTo(c, side, p.offset, MemoryLimit)
	end := p.end()
	if h.held.any() {
		end = min(end, h.held.first().offset)
	}
	if from := h.next - p.offset; h.next < end {
		p.offset, p.data = h.next, p.data[from:end-p.offset]
		a.releasePiece(c, side, &p)
	}
	a.settle(c, side)
}

// sparePieces is how many segments with wrong checksums a direction keeps. When
// more come and none with a right one, they have to do.
const sparePieces = 64

// flags takes what SYN says of the stream's start.
func (a *Assembler) flags(c *Conn, side Side, s *segment.Segment) {
	if s.Flags&segment.SYN == 0 {
		return
	}
	h := &c.halves[side]
	if !h.based {
		h.isnKnown, h.isn = true, s.Sequence
		h.setOrigin(s.Sequence + 1)
	}
	if s.Flags&segment.ACK == 0 {
		c.SYNFrom = int8(side)
	} else if c.SYNFrom == Nobody {
		c.SYNFrom = int8(side.Other())
	}
}

// payload takes the bytes of a segment.
func (a *Assembler) payload(c *Conn, side Side, s *segment.Segment) {
	h := &c.halves[side]
	sequence := s.Sequence
	if s.Flags&segment.SYN != 0 {
		sequence++
	}
	if !h.based {
		h.setOrigin(sequence)
	}
	p := piece{offset: h.offset(sequence), at: a.now, moment: a.moment(c)}
	end := p.offset + int64(s.Length)
	h.top = max(h.top, end)
	if h.fin >= 0 {
		end = min(end, h.fin)
	}
	p.data = s.Data[:max(0, min(int64(len(s.Data)), end-p.offset))]
	if len(p.data) == len(s.Data) {
		p.print = s.Print
	}
	p.cut = mark{end, p.moment}
	switch {
	case len(p.data) == 0:
		a.cutWhole(h, &p)
	case p.offset == h.next && !h.held.any():
		a.releasePiece(c, side, &p)
	default:
		a.outOfOrder(c, side, p)
	}
	a.settle(c, side)
}

// outOfOrder takes bytes that do not begin where the stream stands, or in front
// of others.
func (a *Assembler) outOfOrder(c *Conn, side Side, p piece) {
	h, st := &c.halves[side], &c.Sides[side]
	probe := len(p.data) == 1 && p.offset == h.top-1 // a keep-alive probe may carry any byte
	if early := min(-p.offset, int64(len(p.data))); early > 0 {
		st.EarlyBytes += early
		p.trim(early)
	}
	if p.offset < h.next {
		if at, n := h.contradicts(p.offset, p.data); n > 0 && !probe {
			a.conflict(c, side, at, n)
		}
		p.trim(min(h.next-p.offset, int64(len(p.data))))
	}
	switch {
	case len(p.data) == 0:
		st.Retransmitted++
		a.cutWhole(h, &p)
	case p.offset == h.next && !h.held.any():
		a.releasePiece(c, side, &p)
	default:
		a.hold(c, side, p, probe)
	}
}

// hold keeps a copy of what is new in p.
func (a *Assembler) hold(c *Conn, side Side, p piece, probe bool) {
	h, st := &c.halves[side], &c.Sides[side]
	before := h.cost()
	kept, at, n := h.held.put(p)
	added := 0
	for _, k := range kept {
		k.data = bytes.Clone(k.data)
		added += len(k.data)
	}
	a.charge(h, before)
	a.wait(c, side)
	if added == len(p.data) {
		st.OutOfOrder++
	} else {
		st.Retransmitted++
	}
	if n > 0 && !probe {
		a.conflict(c, side, at, n)
	}
}

func (a *Assembler) conflict(c *Conn, side Side, at, bytes int64) {
	c.Sides[side].Conflicts++
	a.event.Offset, a.event.Bytes, a.event.At = at, bytes, a.now
	a.emit(Conflict, c, side)
}

// finishing takes FIN and RST.
func (a *Assembler) finishing(c *Conn, side Side, s *segment.Segment) {
	h := &c.halves[side]
	if s.Flags&segment.FIN != 0 && h.fin < 0 && s.Flags&segment.RST == 0 {
		if !h.based {
			h.setOrigin(s.Sequence)
		}
		h.fin = h.offset(s.Sequence) + int64(s.Length)
		h.top = max(h.top, h.fin)
		if c.FINFrom == Nobody && c.RSTFrom == Nobody {
			c.FINFrom = int8(side)
		}
	}
	if s.Flags&segment.RST != 0 && c.RSTFrom == Nobody {
		c.RSTFrom = int8(side)
	}
	if c.Closed() && !c.queued {
		c.queued = true
		a.closing = append(a.closing, closing{c, later(a.clock, a.limits.Linger)})
	}
}
