package reassembly

import (
	"encoding/binary"
	"iter"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/reassembly/segment"
)

// syn is a raw IPv4 packet with the SYN of connection n.
func syn(n int) []byte {
	b := []byte{0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2}
	b = binary.BigEndian.AppendUint16(b, uint16(1024+n))
	b = append(b, 0x19, 0xfa, 0, 0, 0, 1, 0, 0, 0, 0, 0x50, segment.SYN, 0xff, 0xff, 0, 0, 0, 0)
	return b
}

// Many connections that are open at the end of the run all end, in the order
// of their first packet.
func TestAllOpenConnectionsEndInOrder(t *testing.T) {
	const connections = 1000
	packets := func(yield func(capture.Packet, error) bool) {
		for n := range connections {
			b := syn(n)
			if !yield(capture.Packet{Number: uint64(n + 1), Link: 101, Data: b, OrigLen: len(b)}, nil) {
				return
			}
		}
	}
	a := New(Limits{}, segment.NewParser(segment.Limits{}))
	next := 0
	for e, err := range a.Events(iter.Seq2[capture.Packet, error](packets)) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind != Ended {
			continue
		}
		if e.Conn.ID != next {
			t.Fatalf("connection %d ended, want %d", e.Conn.ID, next)
		}
		next++
	}
	if next != connections {
		t.Errorf("%d connections ended, want %d", next, connections)
	}
}
