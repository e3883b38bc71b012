package diagnose

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
)

// chunk is one of three chunks of a message.
func chunk(f wiremake.Payload, n int32) []byte {
	f.Metadata.Uuid, f.Metadata.ChunkId, f.Metadata.NumChunksFromMsg, f.Metadata.TotalChunkMsgSize = proto.String("p-1"), proto.Int32(n), proto.Int32(3), proto.Int32(15)
	return f.Frame()
}

// TestChunks: the chunks that come decide between incomplete and orphans.
func TestChunks(t *testing.T) {
	for _, c := range []struct {
		chunks             []int32
		incomplete, orphan []string
	}{
		{[]int32{0, 1}, []string{"warning c | p-1 | 2 of 3 chunks came; missing: 2"}, nil},
		{[]int32{1, 2}, nil, []string{"warning c | p-1 | 2 of 3 chunks came; missing: 0"}},
		{[]int32{0, 1, 2}, nil, nil},
	} {
		s := newScene(t)
		k := consuming(s, shared, 100)
		for n, i := range c.chunks {
			k.Send(wiremake.Server, chunk(messageFrame(2, uint64(n), 0), i))
		}
		k.beats(2 * time.Second)
		s.finds(chunkIncomplete, c.incomplete...)
		s.finds(chunkOrphan, c.orphan...)
	}
}

// TestChunksStillComing: the capture may end in the middle of a message.
func TestChunksStillComing(t *testing.T) {
	s := newScene(t)
	c := consuming(s, shared, 100)
	c.Send(wiremake.Server, chunk(messageFrame(2, 0, 0), 0))
	s.finds(chunkIncomplete, "info 1 of 3 chunks came")
}
