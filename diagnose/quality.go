package diagnose

import (
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
)

// whole says whether the capture has all of a connection so far: both starts,
// both directions, no gap.
func whole(c *session.Conn) bool {
	t := c.TCP
	return t.StartKnown(0) && t.StartKnown(1) && complete(c)
}

// gapless says whether no byte of the connection is missing so far, and all
// are frames.
func gapless(c *session.Conn) bool { return captured(c) && c.SkippedBytes == [2]int64{} }

// captured says whether the capture has every byte of the connection so far,
// be it a frame or not.
func captured(c *session.Conn) bool {
	t := c.TCP
	return t.Sides[0].GapBytes == 0 && t.Sides[1].GapBytes == 0 && !t.Lost(0) && !t.Lost(1)
}

// complete says whether what is missing from a connection was not sent: the
// capture has both directions without a gap, and in the order in which packets
// passed.
func complete(c *session.Conn) bool { return gapless(c) && bothWays(c) && orderly(c) }

// orderly says whether the packets of a connection were captured in order.
// Those of several queues of a network card may be out of order by
// microseconds, which is no matter.
func orderly(c *session.Conn) bool {
	const least = 1_000_000 // ns
	return c.TCP.Backwards < least
}

// bothWays says whether packets of both directions were captured.
func bothWays(c *session.Conn) bool { return c.TCP.Sides[0].Packets > 0 && c.TCP.Sides[1].Packets > 0 }

// closed says whether the end of the connection was captured.
func closed(c *session.Conn) bool {
	return c.TCP.RSTFrom != reassembly.Nobody || c.TCP.FINFrom != reassembly.Nobody
}

// note adds a key to a set that must not grow beyond a limit.
func note[K comparable](set map[K]bool, key K) {
	if len(set) < notesKept {
		set[key] = true
	}
}

// notesKept bounds the sets of servers, ports and names that rules keep.
const notesKept = 100_000

// deref is what p points to, or the zero value.
func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// perConn keeps state of a rule for each connection until its end.
type perConn[T any] map[int]*T

// of gives the state of a connection.
func (p perConn[T]) of(c *session.Conn) *T {
	v := p[c.ID]
	if v == nil {
		v = new(T)
		p[c.ID] = v
	}
	return v
}

// end gives the state of a connection, nil if there is none, and forgets it.
func (p perConn[T]) end(c *session.Conn) *T {
	v := p[c.ID]
	delete(p, c.ID)
	return v
}
