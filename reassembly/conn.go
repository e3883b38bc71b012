package reassembly

import "pulsar-dissect/reassembly/segment"

// Nobody stands for neither side, where a Conn names one.
const Nobody int8 = -1

// Conn is one TCP connection within the run: a 4-tuple from its SYN (or its
// first packet) to its end.
type Conn struct {
	ID        int                 // number of the connection in the run, from 0
	Ends      [2]segment.Endpoint // by Side
	SYNFrom   int8                // side that sent the SYN, or to which the SYN-ACK went; Nobody if neither was captured
	RSTFrom   int8                // side that sent the first RST, or Nobody
	FINFrom   int8                // side that sent the first FIN, before any RST, or Nobody
	First     Position            // its first packet
	Last      Position            // its last packet so far
	Closing   Position            // its first FIN or RST; Order is 0 while there is none
	Backwards int64               // ns that a packet of it lies at most before an earlier one of it
	Sides     [2]Stats            // what each side sent
	Evicted   bool                // ended early because too many connections were open

	// State belongs to the stage that reads the events.
	State any

	// Encryption belongs to the stage decrypt: what it learned of the
	// connection, which decrypt.FactsOf reads; nil where it is not encrypted.
	Encryption any
	// PlainStart belongs to the stage decrypt: offset 0 of the side is the first
	// byte of its plain text, although no SYN was captured.
	PlainStart [2]bool

	tag      uint64
	halves   [2]half
	observed [2]observed
	latest   int64 // highest packet time
	next     *Conn // another connection of the same 4-tuple, on another VLAN
	queued   bool  // waits in the queue of closed connections
	ended    bool
}

// Stats counts what one side of a connection sent.
type Stats struct {
	Bytes          int64  // stream bytes captured, each once
	Packets        uint64 // packets
	Retransmitted  uint64 // segments that brought nothing new
	OutOfOrder     uint64 // segments that came before or behind their place
	GapBytes       int64  // bytes that the capture does not have
	EarlyBytes     int64  // bytes before offset 0, left out
	Strays         uint64 // segments too far from the stream to be of it, left out
	Conflicts      uint64 // segments with other bytes for what was there already
	WrongChecksums uint64 // segments whose TCP checksum is wrong
	ZeroWindows    uint64 // segments that announced a window of 0
	ZeroWindow     Stall  // longest time for which it announced a window of 0
	Segments       uint64 // segments with data
	Twice          uint64 // those captured twice: the same bytes again within a millisecond
	Resent         Resent // the segment that was sent again most often
}

// Closed says whether a RST or the FINs of both sides were captured.
func (c *Conn) Closed() bool {
	return c.RSTFrom != Nobody || c.Finished(0) && c.Finished(1)
}

// Finished says whether a FIN of the side was captured.
func (c *Conn) Finished(s Side) bool { return c.halves[s].fin >= 0 }

// StartKnown says whether offset 0 of the side is the byte after its SYN, or
// the first one of its plain text.
func (c *Conn) StartKnown(s Side) bool { return c.halves[s].isnKnown || c.PlainStart[s] }

// Origin is the sequence number of offset 0 of the side; false while it is not
// known.
func (c *Conn) Origin(s Side) (sequence uint32, ok bool) {
	return c.halves[s].origin, c.halves[s].based
}

// HeldSince is the least Position.Order among the bytes of the side that wait
// behind a hole; false if none wait. Bytes of the other side with a higher
// order came later than these.
func (c *Conn) HeldSince(s Side) (uint64, bool) { return c.halves[s].heldSince() }

// Lost says whether bytes of the side that come next were not captured so far,
// although later ones were or the peer acknowledged them.
func (c *Conn) Lost(s Side) bool {
	h := &c.halves[s]
	return h.isLost() || h.held.any() && h.held.first().offset > h.next
}

func (c *Conn) sideOf(e segment.Endpoint) Side {
	if c.Ends[0] == e {
		return 0
	}
	return 1
}
