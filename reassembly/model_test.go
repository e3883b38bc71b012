package reassembly

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/reassembly/segment"
)

// The model is the dumbest code that is right: for each direction an array of
// bytes with, for each, whether and by which packet it was captured first. It
// takes every packet before the assembler does, and then checks each event:
// that released bytes are those captured first, that given up ones were not
// captured, and that the two tile the stream; and after each packet, that
// nothing waits which need not wait.

// capturedByte is one byte of a stream.
type capturedByte struct {
	value  byte
	known  bool // captured, or it would be the first to be
	spare  bool // only segments with wrong checksums had it so far: spares holds what they say
	spares []byte
	packet uint64 // that brought it first
	clock  int64  // ns: highest packet time by then
}

// modelHalf is one direction.
type modelHalf struct {
	name             string
	bytes            []capturedByte // by offset
	based, isnKnown  bool
	isn, origin      uint32
	top, acked, next int64
	ackSeen          bool
	ackRaw           uint32
	fin              int64
	trusted, likely  int
	wrong            int
	data, gaps       int64      // released and given up
	released         int64      // end of the last data
	recent           [][2]int64 // offset and length of the last released runs
	doubtful         []int64    // ends of the segments with wrong checksums
	crowded          uint64     // packet at which there are more of those ahead than are kept
	mustConflict     bool       // by the packet at hand
	mayConflict      bool
	cutWhole         bool      // a segment had no byte left; then it is known less exactly since when
	missing          []missing // since when the peer has more than was captured, and what the snap length cut off
}

// missing are bytes that were not captured, and since when that is known.
type missing struct {
	from, to int64
	acked    bool // by the peer; else cut off
	follows  bool // bytes that were captured
	moment
}

// modelConn is one connection.
type modelConn struct {
	conn       *Conn
	halves     [2]modelHalf // by wiremake's sides
	rst        bool
	lastTime   int64
	lastPacket uint64
	packets    uint64
	replaced   bool // a SYN began another
	ended      bool
}

// model checks one run.
type model struct {
	t      testing.TB
	limits Limits
	now    uint64 // packet
	clock  int64
	time   int64
	over   bool // the capture has ended
	tight  bool // a limit of memory may be hit
	conn   *modelConn
	old    *modelConn // replaced by conn, not yet ended
	events []string
	seen   int // connections

	parser  *segment.Parser
	verdict segment.Checksum // of the packet at hand
}

func newModel(t testing.TB, l Limits) *model {
	return &model{t: t, limits: l.withDefaults(), clock: math.MinInt64, tight: l.Held+l.HeldPerDirection > 0,
		parser: segment.NewParser(segment.Limits{})}
}

func (m *model) fail(format string, args ...any) {
	m.t.Helper()
	m.t.Fatalf("packet %d: %s", m.now, fmt.Sprintf(format, args...))
}

func newModelConn() *modelConn {
	c := &modelConn{}
	for i := range c.halves {
		c.halves[i].fin, c.halves[i].name = -1, fmt.Sprint("side ", i)
	}
	return c
}

// packet applies a packet made from s, or one without a segment.
func (m *model) packet(p capture.Packet, s *wiremake.Segment, side int) {
	m.now, m.time = p.Number, p.Time
	m.clock = max(m.clock, p.Time)
	if s == nil {
		return
	}
	var parsed segment.Segment
	m.parser.Parse(&p, &parsed)
	m.verdict = parsed.Checksum // by chance one of what a card leaves may be right or wrong
	if m.conn == nil || m.conn.ended {
		m.conn = newModelConn()
	}
	c := m.conn
	h := &c.halves[side]
	if s.Flags&(wiremake.SYN|wiremake.ACK) == wiremake.SYN && c.conn != nil && m.reopens(c, h, &c.halves[1-side], s) {
		c.replaced = true
		m.old, m.conn = c, newModelConn()
		c = m.conn
		h = &c.halves[side]
	}
	c.lastTime = p.Time
	c.packets++
	c.lastPacket = p.Number
	for i := range c.halves {
		c.halves[i].mayConflict, c.halves[i].mustConflict = false, false
	}
	m.apply(c, h, &c.halves[1-side], s)
}

// reopens is the rule for a SYN, in the few words of the package: another
// sequence number, unless the SYN-ACK that answers it came first.
func (m *model) reopens(c *modelConn, h, peer *modelHalf, s *wiremake.Segment) bool {
	if m.verdict == segment.Wrong && h.trusted > 0 {
		return false
	}
	if h.isnKnown && h.isn == s.Sequence {
		return false
	}
	n, pn := c.conn.Sides[m.sideOf(c, h)].Packets, c.conn.Sides[m.sideOf(c, h).Other()].Packets
	early := !h.based && n == 0 && peer.isnKnown && pn == 1 && h.ackSeen && h.ackRaw == s.Sequence+1
	return !early
}

func (m *model) sideOf(c *modelConn, h *modelHalf) Side {
	if h == &c.halves[0] {
		return sideOfEnd(c.conn, 0)
	}
	return sideOfEnd(c.conn, 1)
}

// sideOfEnd is the assembler's side of wiremake's.
func sideOfEnd(c *Conn, side int) Side {
	if (c.Ends[0].Port == wiremake.Broker.Port()) == (side == wiremake.Server) {
		return 0
	}
	return 1
}

func (m *model) apply(c *modelConn, h, peer *modelHalf, s *wiremake.Segment) {
	doubtful := false
	switch m.verdict {
	case segment.Right:
		h.trusted++
	case segment.Wrong:
		h.wrong++
		doubtful = h.trusted > 0 || h.likely > 0
	default:
		h.likely++
	}
	captured := s.Payload[:len(s.Payload)-s.Cut]
	if doubtful && h.trusted > 0 {
		h.setSpare(m.now, s, captured)
		return
	}
	if s.Flags&wiremake.ACK != 0 && s.Flags&wiremake.RST == 0 {
		peer.acknowledge(s.Ack)
		m.findLost(c, peer)
	}
	if s.Flags&wiremake.SYN != 0 && !h.based {
		h.isnKnown, h.isn = true, s.Sequence
		h.base(s.Sequence + 1)
	}
	switch {
	case len(s.Payload) == 0 || s.Flags&wiremake.RST != 0:
	case doubtful:
		h.setSpare(m.now, s, captured)
	default:
		m.payload(c, h, s, captured)
	}
	if s.Flags&wiremake.FIN != 0 && s.Flags&wiremake.RST == 0 && h.fin < 0 {
		if !h.based {
			h.base(s.Sequence)
		}
		h.fin = h.offset(s.Sequence) + int64(len(s.Payload))
		h.top = max(h.top, h.fin)
	}
	c.rst = c.rst || s.Flags&wiremake.RST != 0
}

func (h *modelHalf) base(sequence uint32) {
	h.based, h.origin = true, sequence
	if h.ackSeen {
		h.acked = int64(int32(h.ackRaw - sequence))
	}
}

// offset is the one near the place of the stream that has this sequence number.
func (h *modelHalf) offset(sequence uint32) int64 {
	const wrap = 1 << 32
	o := int64(sequence - h.origin)
	for o < h.next-wrap/4 {
		o += wrap
	}
	for o >= h.next+wrap*3/4 {
		o -= wrap
	}
	return o
}

func (h *modelHalf) acknowledge(sequence uint32) {
	if !h.based {
		h.ackSeen, h.ackRaw = true, sequence
		return
	}
	h.acked = max(h.acked, h.offset(sequence))
}

// at gives the byte of an offset.
func (h *modelHalf) at(offset int64) *capturedByte {
	if offset > 1<<20 {
		panic(fmt.Sprintf("%s: offset %d is not of the script", h.name, offset))
	}
	for int64(len(h.bytes)) <= offset {
		h.bytes = append(h.bytes, capturedByte{})
	}
	return &h.bytes[offset]
}

func (m *model) payload(c *modelConn, h *modelHalf, s *wiremake.Segment, captured []byte) {
	sequence := s.Sequence
	if s.Flags&wiremake.SYN != 0 {
		sequence++
	}
	if !h.based {
		h.base(sequence)
	}
	o := h.offset(sequence)
	h.top = max(h.top, o+int64(len(s.Payload)))
	h.cutWhole = h.cutWhole || s.Cut > 0 && len(captured) == 0
	if s.Cut > 0 {
		h.missing = append(h.missing, missing{o + int64(len(captured)), o + int64(len(s.Payload)), false, len(captured) > 0, m.moment(c)})
	}
	probe := len(captured) == 1 && o == h.top-1
	differs := map[int64]bool{}
	for i, v := range captured {
		at := o + int64(i)
		if at < 0 || h.fin >= 0 && at >= h.fin {
			continue
		}
		b := h.at(at)
		switch {
		case !b.known && at >= h.next:
			*b = capturedByte{value: v, known: true, spare: b.spare, spares: b.spares, packet: m.now, clock: m.clock}
		case b.known && b.value != v && !probe:
			h.mayConflict, differs[at] = true, true
			h.mustConflict = h.mustConflict || at >= h.next
		}
	}
	for _, r := range h.recent {
		if o > r[0] || o+int64(len(captured)) < r[0]+r[1] || h.fin >= 0 && r[0]+r[1] > h.fin {
			continue
		}
		for at := r[0]; at < r[0]+r[1]; at++ {
			h.mustConflict = h.mustConflict || differs[at]
		}
	}
}

// setSpare takes the bytes of a segment with a wrong checksum.
func (h *modelHalf) setSpare(now uint64, s *wiremake.Segment, captured []byte) {
	if !h.based || s.Flags&(wiremake.SYN|wiremake.RST) != 0 {
		return
	}
	for i, v := range captured {
		if at := h.offset(s.Sequence) + int64(i); at >= h.next {
			b := h.at(at)
			b.spare, b.spares = true, append(b.spares, v)
		}
	}
	h.doubtful = append(h.doubtful, h.offset(s.Sequence)+int64(len(captured)))
	h.doubtful = slices.DeleteFunc(h.doubtful, func(end int64) bool { return end <= h.next })
	if len(h.doubtful) > sparePieces {
		h.crowded = now
	}
}

// event checks an event of the assembler.
func (m *model) event(e *Event) {
	m.t.Helper()
	m.events = append(m.events, fmt.Sprint(e.Kind, e.Conn.ID, e.Side, e.Offset, e.Bytes, e.Data, e.Cause, e.Acked, e.At.Packet))
	if e.Kind == Opened {
		if e.Conn.ID != m.seen || m.conn.conn != nil {
			m.fail("connection %d opened, want %d", e.Conn.ID, m.seen)
		}
		m.seen++
		m.conn.conn = e.Conn
		return
	}
	c := m.conn
	if c.conn != e.Conn {
		c = m.old
	}
	if c == nil || c.conn != e.Conn || c.ended {
		m.fail("event of connection %d, which is not open", e.Conn.ID)
	}
	side := 0
	if sideOfEnd(c.conn, 0) != e.Side {
		side = 1
	}
	h := &c.halves[side]
	switch e.Kind {
	case Data:
		m.released(h, e)
	case Gap:
		m.gap(c, h, e)
	case Conflict:
		if !h.mayConflict {
			m.fail("%s: conflict of %d bytes at %d, but there is none", h.name, e.Bytes, e.Offset)
		}
		h.mustConflict = false
	case Ended:
		m.ended(c)
	}
}

func (m *model) released(h *modelHalf, e *Event) {
	m.t.Helper()
	if e.Offset != h.next || len(e.Data) == 0 {
		m.fail("%s: %d bytes at %d, want the next at %d", h.name, len(e.Data), e.Offset, h.next)
	}
	for i, v := range e.Data {
		b := h.at(e.Offset + int64(i))
		switch {
		case b.known && b.value == v && b.packet == e.At.Packet:
		case !b.known && b.spare && len(b.spares) > 0:
			if !contains(b.spares, v) {
				m.fail("%s: byte %d is %#x, which no segment had", h.name, e.Offset+int64(i), v)
			}
			b.known, b.value, b.packet = true, v, e.At.Packet
		default:
			m.fail("%s: byte %d is %#x of packet %d, want %+v", h.name, e.Offset+int64(i), v, e.At.Packet, *b)
		}
	}
	h.next += int64(len(e.Data))
	h.released = h.next
	h.data += int64(len(e.Data))
	h.recent = append(h.recent, [2]int64{e.Offset, int64(len(e.Data))})
	if len(h.recent) > recentPieces {
		h.recent = h.recent[1:]
	}
}

func contains(list []byte, v byte) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

func (m *model) gap(c *modelConn, h *modelHalf, e *Event) {
	m.t.Helper()
	end := e.Offset + e.Bytes
	if e.Offset != h.next || e.Bytes <= 0 {
		m.fail("%s: gap of %d at %d, want one at %d", h.name, e.Bytes, e.Offset, h.next)
	}
	if e.Acked != (h.acked >= end) {
		m.fail("%s: gap to %d says acked %v, acknowledged is %d", h.name, end, e.Acked, h.acked)
	}
	for at := e.Offset; at < min(end, int64(len(h.bytes))); at++ {
		if b := h.at(at); b.known {
			m.fail("%s: gap to %d, but byte %d is in packet %d", h.name, end, at, b.packet)
		} else if b.spare && !m.tight && !(m.ending(c) && h.wrong*4 < h.trusted) && e.Cause != SnapLength {
			m.fail("%s: gap to %d, but byte %d is in a segment with a wrong checksum", h.name, end, at)
		}
	}
	old, _ := m.opened(h)
	switch {
	case m.ending(c), e.Cause == MemoryLimit && (m.tight || h.crowded == m.now):
	case m.missedLong(c, h, e.Offset, end, true), m.clock-old >= int64(m.limits.HoldTime):
	default:
		m.fail("%s: gap of %d at %d given up for no reason (%s), opened %d ns ago, acknowledged %d", h.name, e.Bytes, e.Offset, e.Cause, m.clock-old, h.acked)
	}
	h.next = end
	h.gaps += e.Bytes
}

// ending says whether the connection may end now.
func (m *model) ending(c *modelConn) bool {
	return m.over || c.replaced || c.closed() && m.clock-c.lastTime >= int64(m.limits.Linger)
}

func (c *modelConn) closed() bool { return c.rst || c.halves[0].fin >= 0 && c.halves[1].fin >= 0 }

// opened is the packet time at which the hole where the stream stands opened,
// and the offset of the first byte behind it; -1 if nothing waits.
func (m *model) opened(h *modelHalf) (clock, behind int64) {
	clock, behind = math.MaxInt64, -1
	for at := h.next; at < int64(len(h.bytes)); at++ {
		if b := &h.bytes[at]; b.known {
			clock = min(clock, b.clock)
			if behind < 0 {
				behind = at
			}
		}
	}
	return clock, behind
}

// settled checks, after all events of a packet, that nothing waits needlessly.
func (m *model) settled(a *Assembler) {
	m.t.Helper()
	held := 0
	if c := m.conn; c != nil && !c.ended {
		for side := range c.halves {
			h := &c.halves[side]
			if h.mustConflict {
				m.fail("%s: other bytes for captured ones, and no conflict", h.name)
			}
			since, behind := m.opened(h)
			switch {
			case behind < 0:
			case behind == h.next:
				m.fail("%s: byte %d is there and was not released", h.name, behind)
			case m.clock-since >= int64(m.limits.HoldTime):
				m.fail("%s: bytes at %d have waited %d ns", h.name, behind, m.clock-since)
			}
			m.findLost(c, h)
			if m.lost(h) > h.next && m.missedLong(c, h, h.next, h.next+1, false) && m.justCame(c) {
				m.fail("%s: bytes from %d to %d are missing and waited for", h.name, h.next, h.acked)
			}
			for at := h.next; at < int64(len(h.bytes)); at++ {
				if h.bytes[at].known {
					held++
				}
			}
		}
	}
	m.held(a, held)
	if m.old != nil && !m.old.ended {
		m.fail("a SYN began another connection, and the former goes on")
	}
}

// moment is now, in a connection.
func (m *model) moment(c *modelConn) moment { return moment{m.clock, c.packets} }

// lost is the end of what the peer is known to have beyond the stream's place.
// One byte may be a FIN.
func (m *model) lost(h *modelHalf) int64 {
	_, behind := m.opened(h)
	switch {
	case behind >= 0:
		return min(h.acked, behind)
	case h.fin >= 0:
		return min(h.acked, h.fin)
	case h.acked == h.next+1:
		return h.next
	}
	return h.acked
}

// justCame says whether the packet at hand is one of the connection.
func (m *model) justCame(c *modelConn) bool { return c.lastPacket == m.now }

// held checks the account of what is held.
func (m *model) held(a *Assembler, want int) {
	m.t.Helper()
	bytes, cost := 0, 0
	for _, c := range a.flows {
		for i := range c.halves {
			h := &c.halves[i]
			for _, p := range h.held.pieces {
				bytes += len(p.data)
				cost += len(p.data) + pieceCost
			}
			for _, p := range h.spare {
				cost += len(p.data) + pieceCost
			}
			if h.held.cost > m.limits.HeldPerDirection {
				m.fail("a direction holds %d bytes, the limit is %d", h.held.cost, m.limits.HeldPerDirection)
			}
		}
	}
	if bytes != want || a.held != cost {
		m.fail("%d bytes are held, want %d; they count as %d, want %d", bytes, want, a.held, cost)
	}
	if a.held > m.limits.Held {
		m.fail("%d bytes are held in all, the limit is %d", a.held, m.limits.Held)
	}
}

func (m *model) findLost(c *modelConn, h *modelHalf) {
	if !h.based || m.lost(h) <= h.next {
		return
	}
	for _, k := range h.missing {
		if k.acked && k.to >= h.acked {
			return
		}
	}
	h.missing = append(h.missing, missing{0, h.acked, true, false, m.moment(c)})
}

// missedLong says whether each of the bytes has been known to be missing for as
// long as is waited for it; early: nearly as long.
func (m *model) missedLong(c *modelConn, h *modelHalf, from, to int64, early bool) bool {
	now, eighths := m.moment(c), int64(8)
	if early {
		eighths = 6
	}
	long := func(k *missing) bool {
		waited, packets := now.clock-k.clock, now.packets-k.packets
		return waited >= int64(m.limits.AckedHoldTime)/8*eighths && packets >= uint64(lostPackets/8*eighths) ||
			waited >= int64(m.limits.HoldTime)
	}
	for at := from; at < to; at++ {
		found := false
		for i := range h.missing {
			k := &h.missing[i]
			found = found || k.from <= at && k.to > at && (early || k.acked || !h.cutWhole) && long(k)
		}
		if !found {
			return false
		}
	}
	return true
}

func (m *model) ended(c *modelConn) {
	m.t.Helper()
	if !m.ending(c) {
		m.fail("connection %d ended although it was open", c.conn.ID)
	}
	c.ended = true
	for side := range c.halves {
		h, st := &c.halves[side], c.conn.Sides[sideOfEnd(c.conn, side)]
		if _, behind := m.opened(h); behind >= 0 {
			m.fail("%s: byte %d was never released", h.name, behind)
		}
		if least, most := h.end(); h.based && (h.next < least || h.next > most) {
			m.fail("%s: ends at %d, want %d to %d (FIN %d, acknowledged %d)", h.name, h.next, least, most, h.fin, h.acked)
		}
		if st.Bytes != h.data || st.GapBytes != h.gaps || h.data+h.gaps != h.next {
			m.fail("%s: %d bytes and %d in gaps, want %d and %d", h.name, st.Bytes, st.GapBytes, h.data, h.gaps)
		}
	}
}

// end is where the stream ends, as far as is known: at most behind all that the
// snap length cut off.
func (h *modelHalf) end() (least, most int64) {
	least = int64(len(h.bytes))
	for least > 0 && !h.bytes[least-1].known {
		least--
	}
	least = max(least, h.released)
	if h.fin >= 0 {
		least = max(least, h.fin)
		return least, least
	}
	most = least
	for _, k := range h.missing {
		if k.acked {
			continue
		}
		if k.from == least && k.follows {
			least = max(least, k.to)
		}
		most = max(most, k.to)
	}
	if h.acked > least+1 {
		return min(h.acked, max(least, h.acked-1)), max(most, h.acked)
	}
	return least, most
}

// step is a packet of a script, nil segment: one that holds none.
type step struct {
	segment *wiremake.Segment
	side    int
	after   int64 // ns since the packet before
}

// play runs a script through the assembler and the model.
func play(t testing.TB, l Limits, steps []step) *model {
	t.Helper()
	m := newModel(t, l)
	a := New(l, segment.NewParser(segment.Limits{}))
	source := func(yield func(capture.Packet, error) bool) {
		now := int64(wiremake.Start)
		for i, s := range steps {
			now += s.after
			p := capture.Packet{Number: uint64(i + 1), Time: now, Link: 101}
			if s.segment != nil {
				p = s.segment.Packet(p.Number, now)
			}
			m.packet(p, s.segment, s.side)
			yield(p, nil)
			m.settled(a)
		}
		m.over = true
	}
	for e, err := range a.Events(wiremake.Overwriting(source)) {
		if err != nil {
			t.Fatal(err)
		}
		m.event(e)
	}
	if m.conn != nil && !m.conn.ended {
		m.fail("the connection never ended")
	}
	if a.held != 0 || len(a.flows) != 0 || a.open != 0 {
		m.fail("at the end %d bytes, %d flows and %d connections are held", a.held, len(a.flows), a.open)
	}
	return m
}
