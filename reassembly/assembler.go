package reassembly

import (
	"iter"

	"pulsar-dissect/capture"
	"pulsar-dissect/reassembly/segment"
)

// Assembler turns packets into events. It is used for one run.
type Assembler struct {
	limits   Limits
	parser   *segment.Parser
	counters Counters

	flows   map[flow]*Conn
	open    int        // connections not yet ended
	idle    []idle     // all open connections, roughly the longest idle first
	closing []closing  // closed ones, in order of closing, that still take late packets
	holes   []openHole // in order of opening; those filled since are passed over
	held    int        // bytes out of order in all
	now     Position   // of the packet being processed
	clock   int64      // highest packet time so far, ns

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

type openHole struct {
	conn   *Conn
	side   Side
	opened int64 // packet time, ns
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
		for p, err := range packets {
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			a.now = Position{Packet: p.Number, Order: a.now.Order + 1, Time: p.Time, File: p.File, TimeUnknown: p.TimeUnknown}
			a.clock = max(a.clock, p.Time)
			if a.parser.Parse(&p, &s) == segment.OK {
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

// segment takes one TCP segment: its acknowledgement goes to the other
// direction before its own payload is looked at.
func (a *Assembler) segment(s *segment.Segment) {
	c := a.find(s)
	side := c.sideOf(s.Source)
	h := &c.halves[side]
	c.Last = a.now
	c.Sides[side].Packets++
	doubtful := a.trust(c, side, s)
	if doubtful && h.trusted > 0 {
		a.spare(h, s)
		return
	}
	if s.Flags&segment.ACK != 0 && s.Flags&segment.RST == 0 {
		if c.halves[side.Other()].acknowledge(s.Acknowledgement) {
			a.findLost(c, side.Other())
		}
	}
	if s.Window == 0 && s.Flags&(segment.RST|segment.SYN) == 0 {
		c.Sides[side].ZeroWindows++
	}
	a.flags(c, side, s)
	switch {
	case s.Length == 0 || s.Flags&segment.RST != 0:
	case doubtful:
		a.spare(h, s)
	default:
		a.payload(c, side, s)
	}
	a.finishing(c, side, s)
	for side := range c.halves {
		if c.halves[side].lost {
			a.findLost(c, Side(side))
		}
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
func (a *Assembler) spare(h *half, s *segment.Segment) {
	if !h.based || len(s.Data) == 0 || s.Flags&(segment.SYN|segment.RST) != 0 {
		return
	}
	o := h.offset(s.Sequence)
	if o < h.next || o-h.next > farAway || len(h.spare) >= sparePieces {
		return
	}
	h.spare = append(h.spare, piece{offset: o, data: copied(s.Data), at: a.now})
}

// sparePieces is how many segments with wrong checksums a direction keeps.
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
	o := h.offset(sequence)
	end := o + int64(s.Length)
	h.top = max(h.top, end)
	data := s.Data[:min(len(s.Data), s.Length)]
	if h.fin >= 0 && o+int64(len(data)) > h.fin {
		data = data[:max(0, min(int64(len(data)), h.fin-o))]
	}
	if o == h.next && len(h.held) == 0 && len(data) > 0 {
		a.releaseCut(c, side, o, data, end-o-int64(len(data)), a.now)
	} else if len(data) > 0 {
		a.outOfOrder(c, side, o, data, end-o-int64(len(data)))
	}
	a.settle(c, side)
}

// outOfOrder takes bytes that do not begin where the stream stands, behind
// which the snap length cut some off.
func (a *Assembler) outOfOrder(c *Conn, side Side, o int64, data []byte, cut int64) {
	h, st := &c.halves[side], &c.Sides[side]
	if o < 0 {
		st.EarlyBytes += min(-o, int64(len(data)))
		if o+int64(len(data)) <= 0 {
			return
		}
		o, data = 0, data[-o:]
	}
	probe := len(data) == 1 && o == h.top-1 // a keep-alive probe may carry any byte
	if o < h.next {
		if at, n := h.contradicts(o, data); n > 0 && !probe {
			a.conflict(c, side, at, n)
		}
		seen := min(h.next-o, int64(len(data)))
		o, data = o+seen, data[seen:]
		if len(data) == 0 {
			st.Retransmitted++
			return
		}
	}
	if o == h.next && len(h.held) == 0 {
		a.releaseCut(c, side, o, data, cut, a.now)
		return
	}
	if len(h.held) == 0 {
		h.heldTime = a.clock
		a.holes = append(a.holes, openHole{c, side, a.clock})
	}
	added, at, n := h.hold(o, data, cut, a.now, copied)
	a.held += added
	a.counters.HeldBytesHighest = max(a.counters.HeldBytesHighest, a.held)
	if added == len(data) {
		st.OutOfOrder++
	} else {
		st.Retransmitted++
	}
	if n > 0 && !probe {
		a.conflict(c, side, at, n)
	}
}

func copied(b []byte) []byte { return append([]byte(nil), b...) }

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
		if c.FINFrom == Nobody {
			c.FINFrom = int8(side)
		}
	}
	if s.Flags&segment.RST != 0 && c.RSTFrom == Nobody {
		c.RSTFrom = int8(side)
	}
	if c.Closed() && !c.queued {
		c.queued = true
		a.closing = append(a.closing, closing{c, a.clock + int64(a.limits.Linger)})
	}
}
