package reassembly

import (
	"math"
	"slices"
	"time"
)

// wait is a direction to be looked at again.
type wait struct {
	conn *Conn
	side Side
	due  int64 // packet time, ns
}

// due is the packet time at which the direction has waited long enough for
// what comes next; false if it does not wait.
func (h *half) due(limit time.Duration) (due int64, waits bool) {
	if h.held.any() {
		due, waits = later(h.held.oldest().clock, limit), true
	}
	if !h.isLost() {
		return due, waits
	}
	if since, ok := h.lost.first(); ok && (!waits || later(since, limit) < due) {
		due, waits = later(since, limit), true
	}
	return due, waits
}

// later adds to a packet time, which a capture may give as the end of all time.
func later(clock int64, d time.Duration) int64 {
	if clock > math.MaxInt64-int64(d) {
		return math.MaxInt64
	}
	return clock + int64(d)
}

// wait puts a direction that waits into the queue, where it stands once at
// most. What it waits for may come and more be missing by then, so that it is
// judged anew when its time comes.
func (a *Assembler) wait(c *Conn, side Side) {
	h := &c.halves[side]
	due, waits := h.due(a.limits.HoldTime)
	if h.waiting || !waits {
		return
	}
	h.waiting = true
	i, _ := slices.BinarySearchFunc(a.waits, due, func(w wait, due int64) int {
		if w.due <= due {
			return -1
		}
		return 1
	})
	a.waits = slices.Insert(a.waits, i, wait{c, side, due})
}

// expire lets go what has waited long enough by packet time.
func (a *Assembler) expire() {
	for len(a.waits) > 0 && a.waits[0].due <= a.clock && a.waits[0].due < math.MaxInt64 {
		w := a.waits[0]
		a.waits = a.waits[1:]
		if w.conn.ended {
			continue
		}
		w.conn.halves[w.side].waiting = false
		a.giveUpOld(w.conn, w.side)
		a.wait(w.conn, w.side)
	}
	a.endClosed()
}

// giveUpOld closes the holes of a direction that have been open too long.
func (a *Assembler) giveUpOld(c *Conn, side Side) {
	h := &c.halves[side]
	for {
		h.lost.pass(h.next)
		due, waits := h.due(a.limits.HoldTime)
		if !waits || due > a.clock || due == math.MaxInt64 {
			return
		}
		if a.dropStrays(c, side) {
			continue
		}
		a.counters.HoldTimeout++
		to := min(h.lostTo(), h.lost.upTo(a.moment(c), a.limits.HoldTime, 0))
		if h.held.any() && a.clock-h.held.oldest().clock >= int64(a.limits.HoldTime) {
			to = h.held.first().offset
		}
		a.giveUpTo(c, side, to, NotCaptured)
		a.settle(c, side)
	}
}

// forceOldest gives up a hole of the direction that has waited longest, false
// if no direction holds anything.
func (a *Assembler) forceOldest() bool {
	i := slices.IndexFunc(a.waits, func(w wait) bool { return w.conn.halves[w.side].held.any() })
	if i < 0 {
		return false
	}
	w := a.waits[i]
	a.waits = slices.Delete(a.waits, i, i+1)
	h := &w.conn.halves[w.side]
	h.waiting = false
	a.giveUp(w.conn, w.side, MemoryLimit)
	a.releaseReady(w.conn, w.side)
	a.wait(w.conn, w.side)
	return true
}

// endClosed ends the closed connections for which no packet has come for a
// while.
func (a *Assembler) endClosed() {
	for len(a.closing) > 0 && a.clock >= a.closing[0].deadline {
		c := a.closing[0].conn
		a.closing = a.closing[1:]
		if c.ended {
			continue
		}
		if again := later(c.Last.Time, a.limits.Linger); again > a.clock {
			a.closing = append(a.closing, closing{c, again})
			break
		}
		a.end(c)
	}
}
