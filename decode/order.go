package decode

import (
	"slices"

	"pulsar-dissect/proto"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/reassembly"
)

// queued is an event that waits: until it is certain that the connection
// speaks Pulsar, or until the other direction has caught up, so that frames of
// both directions come in the order of their packets.
type queued struct {
	kind        Kind
	side        reassembly.Side
	offset      int64
	first, last Position
	frameType   int32
	raw         []byte // FrameSeen, BookieSeen: a copy of its bytes
	size        int64
	incomplete  bool
	resync      bool
	proxy       *Proxy
	bytes       int64
	cause       reassembly.Cause
	acked       bool
	reason      string
	sealed      bool // BytesSkipped: they could not be decrypted
}

// accept takes the frame in d.frame, whose bytes are raw.
func (d *Decoder) accept(s *stream, raw []byte) {
	c, f := s.conn, &d.frame
	s.frames++
	s.checked = s.checked || f.Checksum == ChecksumOK
	f.Conn, f.Resync, s.resync = c, s.resync, false
	c.learn(f)
	c.solid = c.solid || s.proves()
	if c.solid && c.queue.len() == 0 && !c.behind(s.side, f.Last.Order) {
		f.Direction = c.roleOf(s.side, f.Type)
		d.emitFrame()
		return
	}
	d.put(c, queued{kind: FrameSeen, side: s.side, offset: f.Offset, first: f.First, last: f.Last, frameType: f.Type,
		raw: slices.Clone(raw), size: f.Size, incomplete: f.Incomplete, resync: f.Resync})
}

// proves says whether what the stream holds is Pulsar beyond doubt.
func (s *stream) proves() bool {
	return s.frames > 0 && !s.badStart && s.conn.TCP.StartKnown(s.side) || s.frames >= 2 || s.checked
}

// suffices says whether, at the end of the connection, the little that the
// stream holds is taken for Pulsar: its frames reach the end of the bytes.
func (s *stream) suffices() bool { return s.proves() || s.frames > 0 && s.chained }

// lone says whether everything that was captured of the connection is one
// frame at the start of a direction, or one of each.
func (c *Conn) lone() bool {
	frames := 0
	for q := range c.queue.all() {
		if q.kind != FrameSeen {
			continue
		}
		if frames++; q.offset != 0 || q.incomplete {
			return false
		}
	}
	return frames > 0 && c.streams[0].untouched && c.streams[1].untouched
}

// behind says whether the peer of a side still has undecided bytes from before
// the given order.
func (c *Conn) behind(side reassembly.Side, order uint64) bool {
	since, ok := c.streams[side.Other()].undecidedSince()
	return ok && since < order
}

// put queues an event. It is handed out in its turn, at the earliest when the
// news at hand has been dealt with: only then is it known what else the stream
// has to say.
func (d *Decoder) put(c *Conn, q queued) {
	c.queue.insert(&q)
	c.queueSize += q.cost()
	switch {
	case c.foreign():
		if c.queue.len() > mostForeign {
			c.forget()
		}
	case c.queueSize > d.limits.held():
		d.drain(c, true)
	}
}

// cost is what keeping the event takes, bytes.
func (q *queued) cost() int { return len(q.raw) + queuedCost }

const queuedCost = 256 // bytes beside those of the frame

// foreign says whether no frame of a protocol known here was found so far.
func (c *Conn) foreign() bool {
	return !c.solid && c.bookie == nil && c.streams[0].frames+c.streams[1].frames == 0
}

// mostForeign is how many events are kept of such a connection, in case that it
// turns out to be Pulsar after all.
const mostForeign = 1024

// forget drops the older half of the queue, but what could not be decrypted.
func (c *Conn) forget() {
	n := 0
	c.queue.keep(func(q *queued) bool {
		n++
		return n > mostForeign/2 || q.sealed
	})
	c.queueSize = 0
	for q := range c.queue.all() {
		c.queueSize += q.cost()
	}
}

func compare(a, b *queued) int {
	switch {
	case a.last.Order != b.last.Order:
		return int(int64(a.last.Order - b.last.Order))
	case a.side != b.side:
		return int(a.side) - int(b.side)
	case a.offset != b.offset:
		return int(a.offset - b.offset)
	}
	return int(b.kind) - int(a.kind) // what was skipped comes before the frame behind it
}

// drain hands out what need not wait any longer, or all.
func (d *Decoder) drain(c *Conn, all bool) {
	if c.queue.len() == 0 || !c.solid && !all {
		return
	}
	if all && !c.ended {
		d.counters.HeldLimit++
		c.solid = true
	}
	for c.queue.len() > 0 {
		q := c.queue.first()
		if !all && c.behind(q.side, q.last.Order) {
			return
		}
		d.handOutFirst(c)
	}
	c.queue = eventQueue{}
}

// drainOld hands out what has waited too long by packet time.
func (d *Decoder) drainOld(c *Conn) {
	if !c.solid || c.queue.len() == 0 || d.clock-c.queue.first().last.Time < int64(d.limits.holdTime()) {
		return
	}
	d.counters.HeldLimit++
	for c.queue.len() > 0 && d.clock-c.queue.first().last.Time >= int64(d.limits.holdTime()) {
		d.handOutFirst(c)
	}
}

func (d *Decoder) handOutFirst(c *Conn) {
	q := c.queue.first()
	dir := c.roleOf(q.side, q.frameType)
	event := c.queue.pop()
	c.queueSize -= event.cost()
	d.handOut(c, &event, dir)
}

func (d *Decoder) handOut(c *Conn, q *queued, dir Direction) {
	if q.kind == BookieSeen {
		d.emitBookie(c, q, dir)
		return
	}
	if q.kind == FrameSeen {
		f := &d.frame
		f.Conn, f.Direction, f.Resync = c, dir, q.resync
		if p := (positions{q.first, q.last}); q.incomplete {
			f.readCut(q.raw, q.offset, q.size, p)
		} else {
			f.read(q.raw, q.offset, q.size, p)
		}
		d.emitFrame()
		return
	}
	d.event = Event{Kind: q.kind, Conn: c, Direction: dir, Offset: q.offset, At: q.last, Proxy: q.proxy, Bytes: q.bytes,
		Cause: q.cause, Acked: q.acked, Reason: q.reason}
	if q.kind == BytesSkipped {
		c.SkippedBytes[dir] += q.bytes
	}
	d.emit()
}

// roleOf gives the direction of what a side sends. The first call fixes the
// roles, by all that is known then.
func (c *Conn) roleOf(side reassembly.Side, frameType int32) Direction {
	if c.Name == "" {
		c.fixRoles(side, frameType)
	}
	return c.DirectionOf(side)
}

func (c *Conn) fixRoles(side reassembly.Side, frameType int32) {
	known := []queued{{kind: FrameSeen, side: side, frameType: frameType}}
	for q := range c.queue.all() {
		known = append(known, *q)
	}
	c.Client, c.RoleFrom = c.role(known)
	c.Name = c.TCP.Ends[c.Client].String() + "-" + c.TCP.Ends[c.Client.Other()].String()
}

// role tells the client by the first of the contract's steps that gives an
// answer.
func (c *Conn) role(known []queued) (reassembly.Side, string) {
	if side, ok := senderOf(known, int32(pb.BaseCommand_CONNECT)); ok {
		return side, "CONNECT"
	}
	if side, ok := senderOf(known, int32(pb.BaseCommand_CONNECTED)); ok {
		return side.Other(), "CONNECTED"
	}
	if c.TCP.SYNFrom != reassembly.Nobody {
		return reassembly.Side(c.TCP.SYNFrom), "SYN"
	}
	if c.asker != unknownAsker {
		return reassembly.Side(c.asker), "command"
	}
	for i := range known {
		if known[i].kind != FrameSeen {
			continue
		}
		switch cmd := proto.ByNumber(known[i].frameType); {
		case cmd == nil:
		case cmd.Sender == proto.Client:
			return known[i].side, "command"
		case cmd.Sender == proto.Broker:
			return known[i].side.Other(), "command"
		}
	}
	if c.TCP.Ends[1].Port > c.TCP.Ends[0].Port {
		return 1, "higher_port"
	}
	return 0, "higher_port"
}

// senderOf gives the side that sent a command, unless both did.
func senderOf(known []queued, frameType int32) (side reassembly.Side, ok bool) {
	for i := range known {
		if known[i].kind != FrameSeen || known[i].frameType != frameType {
			continue
		}
		if ok && known[i].side != side {
			return 0, false
		}
		side, ok = known[i].side, true
	}
	return side, ok
}
