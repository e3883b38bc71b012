package diagnose

import (
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
)

// whole says whether the capture has all of a connection so far: both starts,
// both directions, no gap.
func whole(c *session.Conn) bool {
	t := c.TCP
	return t.StartKnown(0) && t.StartKnown(1) && gapless(c) && t.Sides[0].Packets > 0 && t.Sides[1].Packets > 0
}

// gapless says whether no byte of the connection is missing so far.
func gapless(c *session.Conn) bool {
	t := c.TCP
	return t.Sides[0].GapBytes == 0 && t.Sides[1].GapBytes == 0 && c.SkippedBytes == [2]int64{} && !t.Lost(0) && !t.Lost(1)
}

// bothWays says whether packets of both directions were captured.
func bothWays(c *session.Conn) bool { return c.TCP.Sides[0].Packets > 0 && c.TCP.Sides[1].Packets > 0 }

// closed says whether the end of the connection was captured.
func closed(c *session.Conn) bool {
	return c.TCP.RSTFrom != reassembly.Nobody || c.TCP.FINFrom != reassembly.Nobody
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
