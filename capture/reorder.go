package capture

import (
	"fmt"
	"io"
	"math"
)

// sorter holds packets back for a window of their own time and gives them in
// the order of time; those of one time stay as they come.
type sorter struct {
	feed    feed
	window  int64 // ns
	newest  int64 // latest time so far, ns
	ended   bool  // feed gives no more
	queue   []turn
	entries []heldPacket
	unused  []int // of entries
	given   int   // the entry handed out, -1 for none
	arrived uint64
	bytes   int // capacity of all entries' data
	full    func(p *Packet, why string)
	told    bool
}

// turn is an entry's place in the queue, which is a heap.
type turn struct {
	time    int64
	arrival uint64
	entry   int
}

func (t turn) before(u turn) bool {
	return t.time < u.time || t.time == u.time && t.arrival < u.arrival
}

// heldPacket is a copy of a packet, or an error that has its place behind what
// came before it.
type heldPacket struct {
	packet Packet
	data   []byte
	err    error
}

func newSorter(f feed, window int64, full func(*Packet, string)) *sorter {
	return &sorter{feed: f, window: window, newest: math.MinInt64, given: -1, full: full}
}

func (s *sorter) next(p *Packet) error {
	s.takeBack()
	for !s.due() {
		if s.ended {
			return io.EOF
		}
		s.hold(s.feed.next(p), p)
	}
	s.given = s.pop().entry
	e := &s.entries[s.given]
	*p = e.packet
	return e.err
}

// due tells whether no packet to come can be earlier than the head of the queue.
func (s *sorter) due() bool {
	if len(s.queue) == 0 {
		return false
	}
	return s.ended || s.queue[0].time <= s.newest-s.window || s.overfull()
}

// overfull tells, and has it told once, that a limit lets packets go early.
func (s *sorter) overfull() bool {
	why := ""
	switch {
	case len(s.queue) > maxReorderPackets:
		why = fmt.Sprintf("%d packets", maxReorderPackets)
	case s.bytes > maxReorderBytes:
		why = fmt.Sprintf("%d bytes", maxReorderBytes)
	default:
		return false
	}
	if !s.told {
		s.told = true
		s.full(&s.entries[s.queue[0].entry].packet, why)
	}
	return true
}

// hold queues a copy of p, or err.
func (s *sorter) hold(err error, p *Packet) {
	if err == io.EOF {
		s.ended = true
		return
	}
	i := s.entry()
	e := &s.entries[i]
	if e.err = err; err == nil {
		s.copy(e, p)
		s.newest = max(s.newest, p.Time)
	} else {
		e.packet = Packet{Time: s.newest}
	}
	s.arrived++
	s.push(turn{e.packet.Time, s.arrived, i})
}

func (s *sorter) copy(e *heldPacket, p *Packet) {
	s.bytes -= cap(e.data)
	e.data = append(e.data[:0], p.Data...)
	s.bytes += cap(e.data)
	e.packet = *p
	e.packet.Data = e.data
}

// entry finds an unused entry, or makes one.
func (s *sorter) entry() int {
	if n := len(s.unused); n > 0 {
		i := s.unused[n-1]
		s.unused = s.unused[:n-1]
		return i
	}
	s.entries = append(s.entries, heldPacket{})
	return len(s.entries) - 1
}

// takeBack makes the entry that was handed out unused; its memory is kept for
// the next one unless much is held.
func (s *sorter) takeBack() {
	if s.given < 0 {
		return
	}
	if e := &s.entries[s.given]; s.bytes > maxReorderBytes/2 {
		s.bytes -= cap(e.data)
		e.data = nil
	}
	s.unused = append(s.unused, s.given)
	s.given = -1
}

func (s *sorter) push(t turn) {
	s.queue = append(s.queue, t)
	lift(s.queue, len(s.queue)-1)
}

func (s *sorter) pop() turn {
	head, last := s.queue[0], len(s.queue)-1
	s.queue[0] = s.queue[last]
	s.queue = s.queue[:last]
	sink(s.queue, 0)
	return head
}
