package diagnose

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
)

func TestCompressionMismatch(t *testing.T) {
	plain := []byte("hello hello hello hello hello hello")
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := z.EncodeAll(plain, nil)
	var framed bytes.Buffer
	l := lz4.NewWriter(&framed)
	if _, err := l.Write(plain); err != nil || l.Close() != nil {
		t.Fatal("cannot compress")
	}
	size := uint32(len(plain))
	for _, c := range []struct {
		codec pb.CompressionType
		size  *uint32
		body  []byte
		want  []string
	}{
		{pb.CompressionType_ZSTD, &size, packed, nil},
		{pb.CompressionType_ZSTD, &size, plain, []string{"error p | codec ZSTD"}},
		{pb.CompressionType_ZSTD, proto.Uint32(size + 1), packed, []string{"error codec ZSTD"}},
		{pb.CompressionType_LZ4, &size, framed.Bytes(), []string{"info in another container | an LZ4 frame"}},
		{pb.CompressionType_NONE, nil, packed, []string{"info looks compressed | begins like ZSTD"}},
		{pb.CompressionType_NONE, nil, plain, nil},
	} {
		s := newScene(t)
		k := s.conn(4000)
		k.producer(1, "p")
		f := sendFrame(1, 0, "p", "")
		f.Metadata.Compression, f.Metadata.UncompressedSize, f.Body = c.codec.Enum(), c.size, c.body
		k.Send(wiremake.Client, f.Frame())
		s.finds(compressionMismatch, c.want...)
	}
}
