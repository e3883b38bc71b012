package reassembly

import "math"

// releaseFirst gives out the first held piece.
func (a *Assembler) releaseFirst(c *Conn, side Side) {
	p := c.halves[side].held.takeFirst()
	a.held -= p.cost()
	a.releasePiece(c, side, p)
}

// releasePiece gives out the next bytes of a direction, behind which the snap
// length may have cut some off.
func (a *Assembler) releasePiece(c *Conn, side Side, p *piece) {
	h := &c.halves[side]
	if l := &h.lost.cut; p.cut.offset > max(p.end(), l.end()) {
		l.add(p.cut, a.limits.AckedHoldTime)
	}
	h.came, h.next = p.clock, p.end()
	c.Sides[side].Bytes += int64(len(p.data))
	h.remember(p)
	a.event.Offset, a.event.Data, a.event.At = p.offset, p.data, p.at
	a.emit(Data, c, side)
	a.event.Data = nil
}

// gap gives up the bytes up to an offset.
func (a *Assembler) gap(c *Conn, side Side, to int64, cause Cause) {
	h := &c.halves[side]
	if cause == NotCaptured && to <= h.lost.cut.end() {
		cause = SnapLength
	}
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
	for h.held.any() {
		if h.held.first().offset > h.next {
			if h.held.cost <= a.limits.HeldPerDirection {
				break
			}
			a.giveUp(c, side, MemoryLimit)
			continue
		}
		a.releaseFirst(c, side)
	}
	for a.held > a.limits.Held && a.forceOldest() {
	}
	a.findLost(c, side)
}

// giveUp closes the first hole of a direction, or drops what only seemed to lie
// behind it.
func (a *Assembler) giveUp(c *Conn, side Side, cause Cause) {
	if cause == MemoryLimit {
		a.counters.HeldLimit++
	}
	if !a.dropStrays(c, side) {
		a.giveUpTo(c, side, c.halves[side].held.first().offset, cause)
	}
}

// dropStrays drops segments that lie too far ahead to belong to the stream: it
// has gone on at its place since they came. It says whether there were any.
func (a *Assembler) dropStrays(c *Conn, side Side) (any bool) {
	h := &c.halves[side]
	for h.held.any() {
		p := h.held.last()
		if p.offset-h.next <= farAway || h.came-p.clock < int64(a.limits.AckedHoldTime) {
			break
		}
		h.held.takeLast()
		a.held -= p.cost()
		c.Sides[side].Strays++
		any = true
	}
	return any
}

// giveUpTo releases what there is up to an offset, bytes of a wrong checksum
// included, and gives up the rest.
func (a *Assembler) giveUpTo(c *Conn, side Side, to int64, cause Cause) {
	h := &c.halves[side]
	a.useSpare(h, to)
	for h.next < to {
		switch {
		case !h.held.any() || h.held.first().offset >= to:
			a.gap(c, side, to, cause)
		case h.held.first().offset > h.next:
			a.gap(c, side, h.held.first().offset, cause)
		default:
			a.releaseFirst(c, side)
		}
	}
}

func (a *Assembler) useSpare(h *half, to int64) {
	if len(h.spare) == 0 {
		return
	}
	before := h.cost()
	h.takeSpare(h.next, to)
	a.charge(h, before)
}

// charge takes into account that what a direction holds has changed.
func (a *Assembler) charge(h *half, before int) {
	a.held += h.cost() - before
	a.counters.HeldBytesHighest = max(a.counters.HeldBytesHighest, a.held)
}

// releaseReady releases the held pieces that come next.
func (a *Assembler) releaseReady(c *Conn, side Side) {
	h := &c.halves[side]
	for h.held.any() && h.held.first().offset <= h.next {
		a.releaseFirst(c, side)
	}
}

// giveUpAll releases all held pieces of a direction.
func (a *Assembler) giveUpAll(c *Conn, side Side) {
	h := &c.halves[side]
	for h.held.any() {
		if h.held.first().offset > h.next {
			a.giveUp(c, side, NotCaptured)
			continue
		}
		a.releaseFirst(c, side)
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
	c.State = nil
	for side := range c.halves {
		h := &c.halves[side]
		a.held -= h.cost()
		*h = half{isnKnown: h.isnKnown, fin: h.fin, based: h.based, origin: h.origin}
	}
}

// flush gives out what a direction holds; what is missing behind it, as far as
// is known, is a gap.
func (a *Assembler) flush(c *Conn, side Side) {
	h := &c.halves[side]
	if st := &c.Sides[side]; st.WrongChecksums*4 >= h.trusted {
		a.useSpare(h, math.MaxInt64)
	}
	a.giveUpAll(c, side)
	to := h.lostTo()
	if h.fin >= 0 {
		to = h.fin
	}
	if to > h.next {
		a.gap(c, side, to, NotCaptured)
	}
}
