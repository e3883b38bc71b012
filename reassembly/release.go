package reassembly

import "math"

// release gives out the next bytes of a direction.
func (a *Assembler) release(c *Conn, side Side, offset int64, data []byte, at Position) {
	h := &c.halves[side]
	h.next = offset + int64(len(data))
	c.Sides[side].Bytes += int64(len(data))
	h.remember(offset, data)
	a.event.Offset, a.event.Data, a.event.At = offset, data, at
	a.emit(Data, c, side)
	a.event.Data = nil
}

// releaseFirst gives out the first held piece.
func (a *Assembler) releaseFirst(c *Conn, side Side) {
	h := &c.halves[side]
	p := h.held[0]
	h.held[0].data = nil
	h.held = h.held[1:]
	h.heldBytes -= len(p.data)
	a.held -= len(p.data)
	if len(h.held) == 0 {
		h.held = nil
	}
	a.release(c, side, p.offset, p.data, p.at)
}

// gap gives up the bytes up to an offset.
func (a *Assembler) gap(c *Conn, side Side, to int64, cause Cause) {
	h := &c.halves[side]
	a.event.Offset, a.event.Bytes, a.event.At = h.next, to-h.next, a.now
	a.event.Cause, a.event.Acked = cause, h.acked >= to
	c.Sides[side].GapBytes += to - h.next
	h.next = to
	a.emit(Gap, c, side)
}

// settle releases what no longer waits: bytes whose hole is filled, those
// behind a hole that the peer acknowledged, and those beyond the limit.
func (a *Assembler) settle(c *Conn, side Side) {
	h := &c.halves[side]
	if len(h.spare) > 0 && h.acked > h.next {
		a.useSpare(h, h.acked)
	}
	for len(h.held) > 0 {
		if first := h.held[0].offset; first > h.next {
			over := h.heldBytes > a.limits.HeldPerDirection
			if h.acked < first && !over {
				break
			}
			a.giveUp(c, side, over && h.acked < first)
		}
		a.releaseFirst(c, side)
	}
	for a.held > a.limits.Held {
		a.forceOldest()
	}
}

// giveUp closes the first hole of a direction: with bytes of a wrong checksum
// as far as there are any, with gaps else.
func (a *Assembler) giveUp(c *Conn, side Side, limit bool) {
	h := &c.halves[side]
	cause := NotCaptured
	if limit {
		cause = MemoryLimit
		a.counters.HeldLimit++
	}
	a.useSpare(h, h.held[0].offset)
	if first := h.held[0].offset; first > h.next {
		a.gap(c, side, first, cause)
	}
}

func (a *Assembler) useSpare(h *half, to int64) {
	before := h.heldBytes
	h.takeSpare(h.next, to)
	a.held += h.heldBytes - before
}

// giveUpAll releases all held pieces of a direction.
func (a *Assembler) giveUpAll(c *Conn, side Side) {
	h := &c.halves[side]
	for len(h.held) > 0 {
		if h.held[0].offset > h.next {
			a.giveUp(c, side, false)
		}
		a.releaseFirst(c, side)
	}
}

// forceOldest gives up the hole that has been open longest.
func (a *Assembler) forceOldest() {
	for len(a.holes) > 0 {
		o := a.holes[0]
		a.holes = a.holes[1:]
		if !o.current() {
			continue
		}
		a.giveUp(o.conn, o.side, true)
		a.releaseReady(o.conn, o.side)
		if h := &o.conn.halves[o.side]; len(h.held) > 0 {
			h.heldTime = a.clock
			a.holes = append(a.holes, openHole{o.conn, o.side, a.clock})
		}
		return
	}
}

func (a *Assembler) releaseReady(c *Conn, side Side) {
	h := &c.halves[side]
	for len(h.held) > 0 && h.held[0].offset <= h.next {
		a.releaseFirst(c, side)
	}
}

// current says whether the hole is still the open one of its direction.
func (o openHole) current() bool {
	h := &o.conn.halves[o.side]
	return len(h.held) > 0 && h.heldTime == o.opened
}

// expire lets go what has waited long enough by packet time.
func (a *Assembler) expire() {
	for len(a.holes) > 0 {
		o := a.holes[0]
		if o.current() {
			if a.clock-o.opened < int64(a.limits.HoldTime) {
				break
			}
			a.counters.HoldTimeout++
			a.giveUpAll(o.conn, o.side)
		}
		a.holes = a.holes[1:]
	}
	for len(a.closing) > 0 && a.clock >= a.closing[0].deadline {
		c := a.closing[0].conn
		a.closing = a.closing[1:]
		if c.ended {
			continue
		}
		if again := c.Last.Time + int64(a.limits.Linger); again > a.clock {
			a.closing = append(a.closing, closing{c, again})
			break
		}
		a.end(c)
	}
}

// end gives out all that a connection still holds, and its end.
func (a *Assembler) end(c *Conn) {
	if c.ended {
		return
	}
	for side := Side(0); side < 2; side++ {
		a.flush(c, side)
	}
	c.ended = true
	a.open--
	a.unlink(c)
	a.event.At = a.now
	a.emit(Ended, c, 0)
	c.State, c.halves = nil, [2]half{}
}

// flush gives out what a direction holds; what the peer acknowledged beyond it
// or what lies before the FIN is a gap.
func (a *Assembler) flush(c *Conn, side Side) {
	h := &c.halves[side]
	if st := &c.Sides[side]; st.WrongChecksums*4 >= h.trusted {
		a.useSpare(h, math.MaxInt64)
	}
	a.giveUpAll(c, side)
	to := h.fin
	if to < 0 && h.based {
		to = h.acked
		if to == h.next+1 {
			to = h.next // the acknowledgement may be of a FIN that was not captured
		}
	}
	if to > h.next {
		a.gap(c, side, to, NotCaptured)
	}
}
