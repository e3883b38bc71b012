package reassembly

import "pulsar-dissect/reassembly/segment"

// twiceWithin is the time, in ns, within which a segment that comes again is
// a second capture of the same packet: no sender's timer is that short (RFC
// 6298, section 2.4).
const twiceWithin = 1_000_000

// Stall is a time in which a side took no bytes: it announced a window of 0.
type Stall struct{ From, To Position }

// Duration in ns of packet time, below 0 where the capture's clock stepped back.
func (s *Stall) Duration() int64 { return s.To.Time - s.From.Time }

// Resent is a segment that was sent again and again.
type Resent struct {
	Times       int // how often after the first time
	First, Last Position
	offset      int64
}

// observed is what is remembered of a side to tell stalls and repetitions.
type observed struct {
	zero   Stall // going on while From is set
	again  Resent
	latest [8]glimpse // last segments with data
	oldest uint8      // index in latest that is overwritten next
}

type glimpse struct{ offset, time int64 }

// observe notes what a segment tells of the health of its connection, before
// its bytes are taken.
func (a *Assembler) observe(c *Conn, side Side, s *segment.Segment) {
	c.latest = max(c.latest, a.now.Time)
	c.Backwards = max(c.Backwards, c.latest-a.now.Time)
	if s.Flags&(segment.FIN|segment.RST) != 0 && c.Closing.Order == 0 {
		c.Closing = a.now
	}
	if s.Flags&(segment.SYN|segment.RST) != 0 {
		return
	}
	c.window(side, s.Window, a.now)
	if s.Length == 0 {
		return
	}
	c.Sides[side].Segments++
	h := &c.halves[side]
	offset := int64(0)
	if h.based {
		offset = h.offset(s.Sequence)
	}
	if offset >= 0 && offset+int64(s.Length) <= h.next && s.Length > 1 { // 1: a keep-alive probe
		c.repeated(side, offset, a.now)
	}
	o := &c.observed[side]
	o.latest[o.oldest] = glimpse{offset, a.now.Time}
	o.oldest = (o.oldest + 1) % uint8(len(o.latest))
}

// window takes the window that a side announces. A segment of the peer
// meanwhile is a probe, or shows that the stall lasts.
func (c *Conn) window(side Side, size uint16, now Position) {
	if peer := &c.observed[side.Other()]; peer.zero.From.Order != 0 {
		c.stalled(side.Other(), now)
	}
	o := &c.observed[side]
	if o.zero.From.Order == 0 && size == 0 {
		o.zero.From = now
	}
	if o.zero.From.Order == 0 {
		return
	}
	c.stalled(side, now)
	if size > 0 {
		o.zero = Stall{}
	}
}

// stalled lets the stall of a side go on to now.
func (c *Conn) stalled(side Side, now Position) {
	o, st := &c.observed[side], &c.Sides[side]
	o.zero.To = now
	if st.ZeroWindow.From.Order == 0 || o.zero.Duration() > st.ZeroWindow.Duration() {
		st.ZeroWindow = o.zero
	}
}

// repeated takes a segment whose bytes were there already: captured twice, or
// sent again.
func (c *Conn) repeated(side Side, offset int64, now Position) {
	o, st := &c.observed[side], &c.Sides[side]
	for _, g := range o.latest {
		if age := now.Time - g.time; g.offset == offset && age >= 0 && age < twiceWithin {
			st.Twice++
			return
		}
	}
	if o.again.Times == 0 || o.again.offset != offset {
		o.again = Resent{First: now, offset: offset}
	}
	o.again.Times++
	o.again.Last = now
	if o.again.Times > st.Resent.Times {
		st.Resent = o.again
	}
}
