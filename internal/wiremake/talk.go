package wiremake

import (
	"iter"
	"net/netip"

	"pulsar-dissect/capture"
)

// Client and Server number the sides of a Talk.
const (
	Client = iota
	Server
)

// Broker is where the servers of all talks listen.
var Broker = netip.MustParseAddrPort("10.0.0.2:6650")

// Tape is what a capture holds: packets in the order captured, a millisecond
// apart.
type Tape struct {
	Packets []capture.Packet
	Time    int64 // ns since the Unix epoch, of the last packet
}

// Start is the time of the first packet of a Tape, ns since the Unix epoch.
const Start = 1_700_000_000_000_000_000

const apart = 1_000_000 // ns

// NewTape is an empty capture.
func NewTape() *Tape { return &Tape{Time: Start - apart} }

// Add captures a segment.
func (t *Tape) Add(s Segment) {
	t.Time += apart
	t.Packets = append(t.Packets, s.Packet(uint64(len(t.Packets)+1), t.Time))
}

// Source gives the packets.
func (t *Tape) Source() iter.Seq2[capture.Packet, error] { return Source(t.Packets) }

// Source gives packets.
func Source(packets []capture.Packet) iter.Seq2[capture.Packet, error] {
	return func(yield func(capture.Packet, error) bool) {
		for _, p := range packets {
			if !yield(p, nil) {
				return
			}
		}
	}
}

// Overwriting gives the packets of a source in a buffer of its own, which it
// overwrites before it gives the next one: whoever kept borrowed bytes is left
// with others.
func Overwriting(packets iter.Seq2[capture.Packet, error]) iter.Seq2[capture.Packet, error] {
	return func(yield func(capture.Packet, error) bool) {
		var own []byte
		for p, err := range packets {
			own = append(own[:0], p.Data...)
			p.Data = own
			ok := yield(p, err)
			for i := range own {
				own[i] = 0xdb
			}
			if !ok {
				return
			}
		}
	}
}

// Talk is one connection on a Tape. It keeps the sequence numbers.
type Talk struct {
	Ends [2]netip.AddrPort // by side
	Next [2]uint32         // sequence number that each side sends next
	VLAN uint16
	tape *Tape
}

// Talk begins a connection of a client's port with a handshake.
func (t *Tape) Talk(port uint16) *Talk {
	c := t.Midway(port)
	c.SYN(Client, 1000)
	c.SYN(Server, 9000)
	return c
}

// Midway is a connection whose start is not captured.
func (t *Tape) Midway(port uint16) *Talk {
	return &Talk{Ends: [2]netip.AddrPort{netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 1}), port), Broker},
		Next: [2]uint32{1001, 9001}, tape: t}
}

// SYN captures the SYN of a side, the server's with ACK.
func (c *Talk) SYN(side int, isn uint32) {
	c.Next[side] = isn
	s := c.Segment(side, nil)
	s.Flags = SYN
	if side == Server {
		s.Flags |= ACK
	} else {
		s.Ack = 0
	}
	c.tape.Add(s)
	c.Next[side]++
}

// Segment is what a side would send next.
func (c *Talk) Segment(side int, payload []byte) Segment {
	return Segment{From: c.Ends[side], To: c.Ends[1-side], Sequence: c.Next[side], Ack: c.Next[1-side], Flags: ACK | PSH,
		Payload: payload, VLAN: c.VLAN}
}

// Send captures a segment with each of the payloads.
func (c *Talk) Send(side int, payloads ...[]byte) {
	for _, p := range payloads {
		c.tape.Add(c.Segment(side, p))
		c.Next[side] += uint32(len(p))
	}
}

// Lose sends bytes that are not captured.
func (c *Talk) Lose(side int, bytes int) { c.Next[side] += uint32(bytes) }

// Ack captures a bare acknowledgement of all that the peer sent.
func (c *Talk) Ack(side int) { c.tape.Add(c.Segment(side, nil)) }

// FIN captures the end of what a side sends.
func (c *Talk) FIN(side int) {
	s := c.Segment(side, nil)
	s.Flags |= FIN
	c.tape.Add(s)
	c.Next[side]++
}

// RST captures a reset by a side.
func (c *Talk) RST(side int) {
	s := c.Segment(side, nil)
	s.Flags = RST | ACK
	c.tape.Add(s)
}

// Close captures the FINs of both sides.
func (c *Talk) Close() {
	c.FIN(Client)
	c.FIN(Server)
}
