package reassembly_test

import (
	"testing"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
)

// More connections are open at the end than the queues keep ended ones: each
// ends once, in order of its first packet.
func TestManyOpenAtTheEnd(t *testing.T) {
	tape := wiremake.NewTape()
	const connections = 500
	for i := range uint16(connections) {
		tape.Talk(10_000 + i)
	}
	ended := 0
	for e := range reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{})).Events(tape.Source()) {
		if e.Kind == reassembly.Ended {
			if e.Conn.ID != ended {
				t.Fatalf("connection %d ended as number %d", e.Conn.ID, ended)
			}
			ended++
		}
	}
	if ended != connections {
		t.Errorf("%d ended, expected %d", ended, connections)
	}
}
