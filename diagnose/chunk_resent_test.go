package diagnose

import (
	"testing"

	"pulsar-dissect/internal/wiremake"
)

func TestChunkResent(t *testing.T) {
	s := newScene(t)
	c := s.conn(4000)
	c.producer(1, "p")
	c.Send(wiremake.Client, chunk(sendFrame(1, 0, "p", "hello"), 0), chunk(sendFrame(1, 0, "p", "hello"), 1))
	s.finds(chunkResent)
	c.Send(wiremake.Client, chunk(sendFrame(1, 0, "p", "hello"), 1))
	s.finds(chunkResent, "info p | SEND of chunk 1 of message p-1 again")
}

// TestChunkStoredTwice: a consumer gets one chunk under two ids, or again under
// the same.
func TestChunkStoredTwice(t *testing.T) {
	for entry, want := range map[uint64][]string{5: {"warning c | Chunk is stored twice | as 7:0 and as 7:5"}, 0: nil} {
		s := newScene(t)
		c := consuming(s, shared, 100)
		c.Send(wiremake.Server, chunk(messageFrame(2, 0, 0), 0), chunk(messageFrame(2, entry, 1), 0))
		s.finds(chunkResent, want...)
	}
}
