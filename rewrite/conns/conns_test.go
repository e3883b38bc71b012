package conns

import (
	"testing"

	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
)

// A segment belongs to the connection of its endpoints that was there at its
// packet, in whichever direction it goes.
func TestFind(t *testing.T) {
	client, server := segment.Endpoint{Addr: [16]byte{15: 1}, Port: 4711}, segment.Endpoint{Addr: [16]byte{15: 2}, Port: 6650}
	conn := func(id int, first, last uint64) *reassembly.Conn {
		return &reassembly.Conn{ID: id, Ends: [2]segment.Endpoint{client, server}, First: reassembly.Position{Packet: first}, Last: reassembly.Position{Packet: last}}
	}
	var x Index
	x.Add(conn(1, 1, 10))
	x.Add(conn(2, 20, 30))
	for _, v := range []struct {
		number   uint64
		from, to segment.Endpoint
		id       int // 0: none
		side     reassembly.Side
	}{
		{1, client, server, 1, 0}, {10, server, client, 1, 1}, {15, client, server, 0, 0}, {20, server, client, 2, 1}, {31, client, server, 0, 0},
		{5, client, segment.Endpoint{Port: 1}, 0, 0},
	} {
		c, side := x.Find(v.number, &segment.Segment{Source: v.from, Destination: v.to})
		if (c == nil) != (v.id == 0) || c != nil && (c.ID != v.id || side != v.side) {
			t.Errorf("packet %d: %+v, side %d", v.number, c, side)
		}
	}
}
