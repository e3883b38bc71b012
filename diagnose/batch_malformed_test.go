package diagnose

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
)

func TestBatchMalformed(t *testing.T) {
	two := wiremake.Batch(wiremake.Single{Body: []byte("a")}, wiremake.Single{Body: []byte("b")})
	for _, c := range []struct {
		declared int32
		body     []byte
		want     []string
	}{
		{3, two, []string{"error p | An entry of 3 messages as declared | message 2 of 3"}},
		{1, two, []string{"error batch_trailing_bytes"}},
		{1, []byte("{\"json\":1}"), []string{`error is the text "{\"js"`}},
		{1, []byte{0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3, 4}, []string{"error begins like ZSTD"}},
		{2, two, nil},
	} {
		s := newScene(t)
		k := s.conn(4000)
		k.producer(1, "p")
		f := sendFrame(1, 0, "p", "")
		f.Metadata.NumMessagesInBatch, f.Body = proto.Int32(c.declared), c.body
		k.Send(wiremake.Client, f.Frame())
		s.finds(batchMalformed, c.want...)
	}
}
