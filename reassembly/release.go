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
	a.releaseCut(c, side, p.offset, p.data, p.cut, p.at)
}

// releaseCut gives out bytes, and the gap that the snap length made behind
// them unless other packets fill it.
func (a *Assembler) releaseCut(c *Conn, side Side, offset int64, data []byte, cut int64, at Position) {
	h := &c.halves[side]
	end := offset + int64(len(data)) + cut
	h.cutting = cut > 0 && (len(h.held) == 0 || h.held[0].offset >= end) && h.fin < 0
	a.release(c, side, offset, data, at)
	if h.cutting {
		h.cutting = false
		a.gap(c, side, end, SnapLength)
	}
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

// settle releases what no longer waits: bytes whose hole is filled, and those
// beyond the limit.
func (a *Assembler) settle(c *Conn, side Side) {
	h := &c.halves[side]
	for len(h.held) > 0 {
		if h.held[0].offset > h.next {
			if h.heldBytes <= a.limits.HeldPerDirection {
				break
			}
			a.giveUp(c, side, true)
		}
		a.releaseFirst(c, side)
	}
	for a.held > a.limits.Held {
		a.forceOldest()
	}
	a.findLost(c, side)
}

// findLost watches the bytes that the peer acknowledged and that were not
// captured. The packet with them may still come, where the capture has packets
// in another order than the wire; so they are given up only after a while.
func (a *Assembler) findLost(c *Conn, side Side) {
	h := &c.halves[side]
	to := h.lostTo()
	if to <= h.next {
		h.lost = false
		return
	}
	packets := c.Sides[0].Packets + c.Sides[1].Packets
	if !h.lost {
		h.lost, h.lostTime, h.lostCount = true, a.clock, packets
		a.holes = append(a.holes, openHole{c, side, a.clock})
		return
	}
	if packets-h.lostCount < lostPackets || a.clock-h.lostTime < int64(a.limits.AckedHoldTime) {
		return
	}
	a.giveUpLost(c, side, to)
}

// lostPackets is how many packets of a connection are waited for before bytes
// that the peer acknowledged are given up.
const lostPackets = 16

func (a *Assembler) giveUpLost(c *Conn, side Side, to int64) {
	c.halves[side].lost = false
	a.useSpare(&c.halves[side], to)
	a.releaseReady(c, side)
	if h := &c.halves[side]; h.next < to {
		a.gap(c, side, to, NotCaptured)
	}
	a.settle(c, side)
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
	if len(h.spare) == 0 {
		return
	}
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
		if !o.current() || len(o.conn.halves[o.side].held) == 0 {
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
	return len(h.held) > 0 && h.heldTime == o.opened || h.lost && h.lostTime == o.opened
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
			if h := &o.conn.halves[o.side]; h.lost {
				a.giveUpLost(o.conn, o.side, h.lostTo())
			}
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
