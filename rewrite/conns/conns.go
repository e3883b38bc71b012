// Package conns finds the connection of a segment when packets are read once more.
//
// In: connections as reassembly gave them, when they have ended. Out: of a segment
// in a packet, its connection and the side that sent it.
package conns

import (
	"bytes"

	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
)

// Index holds connections.
type Index struct{ of map[pair][]*reassembly.Conn }

// pair are the endpoints of a connection, in an order that does not depend on
// the direction.
type pair [2]segment.Endpoint

func pairOf(a, b segment.Endpoint) pair {
	if d := bytes.Compare(a.Addr[:], b.Addr[:]); d > 0 || d == 0 && a.Port > b.Port {
		a, b = b, a
	}
	return pair{a, b}
}

// Add adds a connection.
func (x *Index) Add(c *reassembly.Conn) {
	if x.of == nil {
		x.of = map[pair][]*reassembly.Conn{}
	}
	k := pairOf(c.Ends[0], c.Ends[1])
	x.of[k] = append(x.of[k], c)
}

// Find gives the connection of a segment in the packet of this number; nil where
// it is of none.
func (x *Index) Find(number uint64, s *segment.Segment) (c *reassembly.Conn, from reassembly.Side) {
	for _, c := range x.of[pairOf(s.Source, s.Destination)] {
		if number < c.First.Packet || number > c.Last.Packet {
			continue
		}
		if s.Source == c.Ends[0] {
			return c, 0
		}
		return c, 1
	}
	return nil, 0
}
