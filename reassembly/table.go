package reassembly

import (
	"bytes"
	"cmp"
	"slices"

	"pulsar-dissect/reassembly/segment"
)

// find gives the connection of a segment, a new one where it opens one.
func (a *Assembler) find(s *segment.Segment) *Conn {
	key := flowOf(s)
	for c := a.of(&key); c != nil; c = c.next {
		if c.tag != s.Tag && c.otherNetwork(s) {
			continue
		}
		if c.reopens(s) {
			a.end(c)
			break
		}
		return c
	}
	return a.add(key, s)
}

// of gives the connections of a flow. Packets come in trains, so that the flow is
// mostly that of the packet before, which takes no look-up (4% of the samples of a profile
// on large messages).
func (a *Assembler) of(key *flow) *Conn {
	if a.latest == nil || a.latestFlow != *key {
		a.latest, a.latestFlow = a.flows[*key], *key
	}
	return a.latest
}

func flowOf(s *segment.Segment) flow {
	if less(&s.Destination, &s.Source) {
		return flow{s.Destination, s.Source}
	}
	return flow{s.Source, s.Destination}
}

func less(a, b *segment.Endpoint) bool {
	if c := bytes.Compare(a.Addr[:], b.Addr[:]); c != 0 {
		return c < 0
	}
	return a.Port < b.Port
}

// otherNetwork says whether a segment with other VLAN tags belongs to another
// network with the same addresses: its sequence numbers are far from those of
// the connection. A capture of all interfaces shows one connection with and
// without tags.
func (c *Conn) otherNetwork(s *segment.Segment) bool {
	h := &c.halves[c.sideOf(s.Source)]
	if !h.based {
		return false
	}
	return h.far(s.Sequence)
}

// reopens says whether the segment begins another connection of the same
// 4-tuple: a SYN with another sequence number, or data far away after the
// former was closed.
func (c *Conn) reopens(s *segment.Segment) bool {
	side := c.sideOf(s.Source)
	h := &c.halves[side]
	if s.Flags&(segment.SYN|segment.ACK) == segment.SYN {
		if s.Checksum == segment.Wrong && h.trusted > 0 {
			return false
		}
		return !(h.isnKnown && h.isn == s.Sequence) && !c.answeredEarly(side, s)
	}
	if !c.Closed() || !h.based || s.Length == 0 {
		return false
	}
	return h.far(s.Sequence)
}

// answeredEarly says whether the SYN is the one that the SYN-ACK captured
// before it answers: then the capture has the two in the wrong order.
func (c *Conn) answeredEarly(side Side, s *segment.Segment) bool {
	h, peer := &c.halves[side], &c.halves[side.Other()]
	return !h.based && c.Sides[side].Packets == 0 && peer.isnKnown && c.Sides[side.Other()].Packets == 1 &&
		h.ackSeen && h.ackRaw == s.Sequence+1
}

func (a *Assembler) add(key flow, s *segment.Segment) *Conn {
	if a.open >= a.limits.Connections {
		a.evict()
	}
	c := &Conn{ID: int(a.counters.Connections), Ends: [2]segment.Endpoint{s.Source, s.Destination},
		SYNFrom: Nobody, RSTFrom: Nobody, FINFrom: Nobody, First: a.now, Last: a.now, tag: s.Tag}
	c.halves[0].fin, c.halves[1].fin = -1, -1
	c.next = a.flows[key]
	a.flows[key], a.latest = c, nil
	a.counters.Connections++
	a.open++
	a.idle = append(a.idle, idle{c, a.now.Order})
	a.event.At = a.now
	a.emit(Opened, c, 0)
	return c
}

// evict ends the connection that has been idle longest, by second chance: one
// that had packets since it was queued goes to the end of the queue. Where all
// had, it is put in order.
func (a *Assembler) evict() {
	for range len(a.idle) {
		i := a.idle[0]
		a.idle = a.idle[1:]
		switch {
		case i.conn.ended:
		case i.conn.Last.Order != i.last:
			a.idle = append(a.idle, idle{i.conn, i.conn.Last.Order})
		default:
			a.letGo(i.conn)
			return
		}
	}
	slices.SortFunc(a.idle, func(x, y idle) int { return cmp.Compare(x.last, y.last) })
	first := a.idle[0]
	a.idle = a.idle[1:]
	a.letGo(first.conn)
}

func (a *Assembler) letGo(c *Conn) {
	a.counters.ConnectionLimit++
	c.Evicted = true
	a.end(c)
}

// unlink takes an ended connection out of the table.
func (a *Assembler) unlink(c *Conn) {
	key := flowOf(&segment.Segment{Source: c.Ends[0], Destination: c.Ends[1]})
	p := a.flows[key]
	a.latest = nil
	if p == c {
		if c.next == nil {
			delete(a.flows, key)
		} else {
			a.flows[key] = c.next
		}
	} else {
		for p.next != c {
			p = p.next
		}
		p.next = c.next
	}
	a.tidy()
}

// tidy takes ended connections out of the queues once they are the most: a
// clock that stands still would let them pile up.
func (a *Assembler) tidy() {
	if len(a.idle) > 2*a.open+64 {
		a.idle = slices.DeleteFunc(a.idle, func(i idle) bool { return i.conn.ended })
	}
	if len(a.closing) > 2*a.open+64 {
		a.closing = slices.DeleteFunc(a.closing, func(x closing) bool { return x.conn.ended })
	}
	if len(a.waits) > 4*a.open+64 {
		a.waits = slices.DeleteFunc(a.waits, func(w wait) bool { return w.conn.ended })
	}
}

// finish ends all connections, in order of their first packet.
func (a *Assembler) finish() {
	open := a.idle
	a.idle = nil // ending connections tidies the queue
	slices.SortFunc(open, func(x, y idle) int { return x.conn.ID - y.conn.ID })
	for _, i := range open {
		a.end(i.conn)
	}
}
