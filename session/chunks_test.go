package session_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// part is the metadata of chunk i of n.
func part(p wiremake.Payload, uuid string, i, n int32, body string) wiremake.Payload {
	p.Metadata = meta(3)
	p.Metadata.Uuid, p.Metadata.ChunkId, p.Metadata.NumChunksFromMsg = &uuid, &i, &n
	p.Metadata.TotalChunkMsgSize = proto.Int32(int32(len(body)) * n)
	p.Body = []byte(body)
	return p
}

func sentPart(uuid string, i, n int32, body string) wiremake.Payload {
	return part(send(1, 3), uuid, i, n, body)
}

func deliveredPart(consumer, entry uint64, uuid string, i, n int32, body string) wiremake.Payload {
	return part(message(consumer, 7, entry, 0), uuid, i, n, body)
}

// Messages put together from chunks.
func TestChunks(t *testing.T) {
	for _, x := range []struct {
		name string
		talk func(t *dialogue)
		want []string
	}{
		{"in order", func(t *dialogue) {
			t.client(sentPart("u", 0, 3, "a"), sentPart("u", 1, 3, "b"), sentPart("u", 2, 3, "c"))
		}, []string{`chunked u of 3, ok, "abc", missing [], ids `}},
		{"delivered: with the ids of all", func(t *dialogue) {
			t.broker(deliveredPart(4, 1, "u", 0, 2, "a"), deliveredPart(4, 2, "u", 1, 2, "b"))
		}, []string{`chunked u of 2, ok, "ab", missing [], ids 7:1 7:2`}},
		{"interleaved", func(t *dialogue) {
			t.broker(deliveredPart(4, 1, "u", 0, 2, "a"), deliveredPart(4, 2, "v", 0, 2, "x"), deliveredPart(4, 3, "v", 1, 2, "y"), deliveredPart(4, 4, "u", 1, 2, "b"))
		}, []string{`chunked v of 2, ok, "xy", missing [], ids 7:2 7:3`, `chunked u of 2, ok, "ab", missing [], ids 7:1 7:4`}},
		{"one uuid to two consumers", func(t *dialogue) {
			t.broker(deliveredPart(4, 1, "u", 0, 2, "a"), deliveredPart(5, 1, "u", 0, 2, "a"), deliveredPart(5, 2, "u", 1, 2, "b"))
		}, []string{`chunked u of 2, ok, "ab", missing [], ids 7:1 7:2`, `chunked u of 2, incomplete, "", missing [1], ids 7:1`}},
		{"chunk 0 stored twice", func(t *dialogue) {
			t.broker(deliveredPart(4, 1, "u", 0, 2, "A"), deliveredPart(4, 2, "u", 0, 2, "a"), deliveredPart(4, 3, "u", 1, 2, "b"))
		}, []string{`chunked u of 2, ok, "ab", missing [], ids 7:2 7:3`}},
		{"0 1 0 1 2", func(t *dialogue) {
			t.broker(deliveredPart(4, 1, "u", 0, 3, "a"), deliveredPart(4, 2, "u", 1, 3, "b"), deliveredPart(4, 3, "u", 0, 3, "a"),
				deliveredPart(4, 4, "u", 1, 3, "b"), deliveredPart(4, 5, "u", 2, 3, "c"))
		}, []string{`chunked u of 3, ok, "abc", missing [], ids 7:3 7:4 7:5`}},
		{"a later one first", func(t *dialogue) {
			t.broker(deliveredPart(4, 1, "u", 1, 2, "b"), deliveredPart(4, 2, "u", 0, 2, "a"))
		}, []string{`chunked u of 2, ok, "ab", missing [], ids 7:2 7:1`}},
		{"delivered once more", func(t *dialogue) {
			t.broker(deliveredPart(4, 1, "u", 0, 2, "a"), deliveredPart(4, 2, "u", 1, 2, "b"), deliveredPart(4, 1, "u", 0, 2, "a"), deliveredPart(4, 2, "u", 1, 2, "b"))
		}, []string{`chunked u of 2, ok, "ab", missing [], ids 7:1 7:2`, `chunked u of 2, ok, "ab", missing [], ids 7:1 7:2`}},
		{"a chunk sent again after the whole", func(t *dialogue) {
			t.client(sentPart("u", 0, 2, "a"), sentPart("u", 1, 2, "b"), sentPart("u", 1, 2, "b"))
		}, []string{`chunked u of 2, ok, "ab", missing [], ids `}},
		{"incomplete at the end", func(t *dialogue) {
			t.client(sentPart("u", 0, 4, "a"), sentPart("u", 2, 4, "c"))
		}, []string{`chunked u of 4, incomplete, "", missing [1 3], ids `}},
		{"chunk ids that cannot be", func(t *dialogue) {
			t.client(sentPart("u", -1, 2, "a"), sentPart("u", 2, 2, "c"), sentPart("u", 0, 2, "a"))
		}, []string{`chunked u of 2, incomplete, "", missing [1], ids `}},
		{"no chunk id", func(t *dialogue) {
			p := sentPart("u", 0, 2, "a")
			p.Metadata.ChunkId = nil
			t.client(p)
		}, []string{`chunked u of 2, incomplete, "", missing [0 1], ids `}},
		{"encrypted", func(t *dialogue) {
			for i := range int32(2) {
				p := sentPart("u", i, 2, "sealed")
				p.Metadata.EncryptionKeys = []*pb.EncryptionKeys{{Key: proto.String("k"), Value: []byte("x")}}
				t.client(p)
			}
		}, []string{`chunked u of 2, encrypted, "", missing [], ids `}},
		{"empty", func(t *dialogue) {
			t.client(sentPart("u", 0, 2, ""), sentPart("u", 1, 2, ""))
		}, []string{`chunked u of 2, ok, "", missing [], ids `}},
	} {
		c := newTalk()
		x.talk(c)
		said, _ := listen(t, session.Options{}, c.tape)
		holds(t, x.name, only(said, "chunked"), x.want)
	}
}

// A producer goes on over another connection, and sends one chunk again.
func TestChunksOverTwoConnections(t *testing.T) {
	tape := wiremake.NewTape()
	for i, port := range []uint16{40002, 40003} {
		c := openTalk(tape, port)
		c.client(connect(nil))
		c.broker(connected(nil))
		c.client(producer(1, 1, aTopic, "p"))
		c.broker(producerSuccess(1, "p", nil))
		c.client(sentPart("u", int32(i), 4, string(rune('a'+i))), sentPart("u", int32(i)+1, 4, string(rune('b'+i))))
		if i == 1 {
			c.client(sentPart("u", 3, 4, "d"))
		}
		c.Close()
	}
	said, _ := listen(t, session.Options{}, tape)
	holds(t, "chunks", only(said, "chunked"), []string{`chunked u of 4, ok, "abcd", missing [], ids `})
}

// Compressed as a whole, in chunks.
func TestChunksCompressed(t *testing.T) {
	c := newTalk()
	whole := strings.Repeat("0123456789", 50)
	packed := zlibOf(t, whole)
	for i := range int32(2) {
		p := sentPart("u", i, 2, string(packed[int(i)*len(packed)/2:int(i+1)*len(packed)/2]))
		p.Metadata.Compression, p.Metadata.UncompressedSize = pb.CompressionType_ZLIB.Enum(), proto.Uint32(uint32(len(whole)))
		c.client(p)
	}
	said, _ := listen(t, session.Options{}, c.tape)
	holds(t, "chunks", only(said, "chunked"), []string{`chunked u of 2, ok, "` + whole + `", missing [], ids `})
}
