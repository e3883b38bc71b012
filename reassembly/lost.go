package reassembly

import "time"

// The peer's acknowledgements and the snap length tell of bytes that are
// missing from the capture. The packets with them may still come, where the
// capture has packets in another order than the wire: so they are given up only
// after Limits.AckedHoldTime and lostPackets.

// lostPackets is how many packets of a connection are waited for before bytes
// that the peer acknowledged are given up.
const lostPackets = 16

// moment is a time within a connection.
type moment struct {
	clock   int64  // packet time, ns
	packets uint64 // of the connection by then
}

// mark says since when the bytes up to an offset are known to have been sent.
type mark struct {
	offset int64
	moment
}

// marks are in the order of offsets and times; those that the stream has
// passed are forgotten now and then.
type marks []mark

// Marks close to one another are one, that of the earlier.
const (
	mostMarks    = 64
	marksPackets = lostPackets / 4
	marksTime    = 8 // part of AckedHoldTime
)

func (l *marks) add(m mark, limit time.Duration) {
	if n := len(*l); n > 0 {
		last := &(*l)[n-1]
		near := m.clock-last.clock < int64(limit)/marksTime && m.packets-last.packets < marksPackets
		if near || n >= mostMarks {
			last.offset = max(last.offset, m.offset)
			return
		}
	}
	*l = append(*l, m)
}

// pass forgets what lies before the stream's place.
func (l *marks) pass(next int64) {
	n := 0
	for n < len(*l) && (*l)[n].offset <= next {
		n++
	}
	*l = append((*l)[:0], (*l)[n:]...)
}

// end is the offset up to which the marks go.
func (l marks) end() int64 {
	if len(l) == 0 {
		return 0
	}
	return l[len(l)-1].offset
}

// losses knows since when the bytes of a direction are known to be missing.
type losses struct {
	acked marks // that the peer had them
	cut   marks // that the snap length cut them off
}

func (l *losses) pass(next int64) {
	l.acked.pass(next)
	l.cut.pass(next)
}

// upTo is the end of the bytes that have been missing for a time and a number
// of packets.
func (l *losses) upTo(now moment, limit time.Duration, packets uint64) (offset int64) {
	for _, list := range [...]marks{l.acked, l.cut} {
		for i := range list {
			m := &list[i]
			if now.packets-m.packets >= packets && now.clock-m.clock >= int64(limit) {
				offset = max(offset, m.offset)
			}
		}
	}
	return offset
}

// first is when the first missing byte was noticed.
func (l *losses) first() (clock int64, any bool) {
	for _, list := range [...]marks{l.acked, l.cut} {
		if len(list) > 0 && (!any || list[0].clock < clock) {
			clock, any = list[0].clock, true
		}
	}
	return clock, any
}

// isLost says whether the bytes that come next are missing although the peer
// has them or the packet with them was captured.
func (h *half) isLost() bool { return h.lostTo() > h.next }

// lostTo is the end of those bytes, next if there are none. One byte beyond all
// may be a FIN that was not captured.
func (h *half) lostTo() int64 {
	sent := max(h.next, h.lost.cut.end())
	known := max(h.acked, sent)
	switch {
	case h.held.any():
		return min(known, h.held.first().offset)
	case h.fin >= 0:
		return min(known, h.fin)
	case known == sent+1:
		return sent
	}
	return known
}

// cutWhole notes a segment of which the snap length left nothing new, where
// what it cut off follows what is there.
func (a *Assembler) cutWhole(h *half, p *piece) {
	place := max(h.next, h.lost.cut.end())
	if p.offset > place {
		h.held.cut(p)
	} else if p.cut.offset > place {
		h.lost.cut.add(p.cut, a.limits.AckedHoldTime)
	}
}

// findLost gives up bytes that have been missing long enough.
func (a *Assembler) findLost(c *Conn, side Side) {
	h := &c.halves[side]
	h.lost.pass(h.next)
	if !h.isLost() {
		return
	}
	now := a.moment(c)
	if h.acked > h.next && len(h.lost.acked) == 0 {
		h.lost.acked.add(mark{h.acked, now}, a.limits.AckedHoldTime)
	}
	a.wait(c, side)
	to := min(h.lostTo(), h.lost.upTo(now, a.limits.AckedHoldTime, lostPackets))
	if to <= h.next {
		return
	}
	a.useSpare(h, to)
	a.releaseReady(c, side)
	a.giveUpTo(c, side, min(to, h.lostTo()), NotCaptured)
	a.settle(c, side)
}

func (a *Assembler) moment(c *Conn) moment {
	return moment{a.clock, c.Sides[0].Packets + c.Sides[1].Packets}
}
