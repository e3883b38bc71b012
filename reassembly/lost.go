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

// mark says when the peer first had all bytes up to an offset.
type mark struct {
	offset int64
	moment
}

// losses knows since when the bytes of a direction are known to be missing.
type losses struct {
	marks []mark // by offset and time, those beyond the stream's place
	cut   mark   // what the snap length cut off behind the last released bytes
}

// Marks close to one another are one, that of the earlier.
const (
	mostMarks    = 64
	marksPackets = lostPackets / 4
	marksTime    = 8 // part of AckedHoldTime
)

// acknowledged notes that the peer has all up to an offset.
func (l *losses) acknowledged(offset int64, now moment, limit time.Duration) {
	if n := len(l.marks); n > 0 {
		last := &l.marks[n-1]
		near := now.clock-last.clock < int64(limit)/marksTime && now.packets-last.packets < marksPackets
		if near || n >= mostMarks {
			last.offset = max(last.offset, offset)
			return
		}
	}
	l.marks = append(l.marks, mark{offset, now})
}

// pass forgets what lies before the stream's place.
func (l *losses) pass(next int64) {
	n := 0
	for n < len(l.marks) && l.marks[n].offset <= next {
		n++
	}
	l.marks = append(l.marks[:0], l.marks[n:]...)
}

// upTo is the end of the bytes that have been missing long enough.
func (l *losses) upTo(now moment, limit time.Duration) (offset int64) {
	enough := func(m *moment) bool {
		return now.packets-m.packets >= lostPackets && now.clock-m.clock >= int64(limit)
	}
	if enough(&l.cut.moment) {
		offset = l.cut.offset
	}
	for i := range l.marks {
		if enough(&l.marks[i].moment) {
			offset = max(offset, l.marks[i].offset)
		}
	}
	return offset
}

// first is when the first missing byte was noticed.
func (l *losses) first(next int64) (clock int64, any bool) {
	if len(l.marks) > 0 {
		clock, any = l.marks[0].clock, true
	}
	if l.cut.offset > next && (!any || l.cut.clock < clock) {
		clock, any = l.cut.clock, true
	}
	return clock, any
}

// isLost says whether the bytes that come next are missing although the peer
// has them or the packet with them was captured.
func (h *half) isLost() bool { return h.lostTo() > h.next }

// lostTo is the end of those bytes, next if there are none. One byte beyond all
// may be a FIN that was not captured.
func (h *half) lostTo() int64 {
	known := max(h.acked, h.lost.cut.offset)
	switch {
	case h.held.any():
		return min(known, h.held.first().offset)
	case h.fin >= 0:
		return min(known, h.fin)
	case known == h.next+1 && h.lost.cut.offset <= h.next:
		return h.next
	}
	return known
}

// findLost gives up bytes that have been missing long enough.
func (a *Assembler) findLost(c *Conn, side Side) {
	h := &c.halves[side]
	h.lost.pass(h.next)
	if !h.isLost() {
		return
	}
	now := a.moment(c)
	if h.acked > h.next && len(h.lost.marks) == 0 {
		h.lost.acknowledged(h.acked, now, a.limits.AckedHoldTime)
	}
	a.wait(c, side)
	if to := min(h.lostTo(), h.lost.upTo(now, a.limits.AckedHoldTime)); to > h.next {
		a.giveUpTo(c, side, to, NotCaptured)
		a.settle(c, side)
	}
}

func (a *Assembler) moment(c *Conn) moment {
	return moment{a.clock, c.Sides[0].Packets + c.Sides[1].Packets}
}
