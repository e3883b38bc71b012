package decode

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
)

// entryOf sends an entry and gives its messages.
func entryOf(t *testing.T, m *pb.MessageMetadata, body []byte) []messageCopy {
	t.Helper()
	got := said(t, server, message(1, m, body).Frame())
	if len(got.frames) != 1 {
		t.Fatalf("%q, %q", got.names(), got.events)
	}
	return got.frames[0].Messages
}

func zipped(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zstdOf(t *testing.T, b []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(b, nil)
}

func lz4Block(t *testing.T, b []byte) []byte {
	t.Helper()
	out := make([]byte, lz4.CompressBlockBound(len(b)))
	n, err := new(lz4.Compressor).CompressBlock(b, out)
	if err != nil {
		t.Fatal(err)
	}
	return out[:n]
}

// Every codec, as it should be and as it is found.
func TestEntryCodecs(t *testing.T) {
	text := []byte(strings.Repeat("some text that packs well. ", 40))
	size := ptr(uint32(len(text)))
	var lz4Frame, snappyFrames bytes.Buffer
	for _, w := range []interface {
		Write([]byte) (int, error)
		Close() error
	}{lz4.NewWriter(&lz4Frame), snappy.NewBufferedWriter(&snappyFrames)} {
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	zip := zipped(t, text)
	for _, x := range []struct {
		name    string
		codec   pb.CompressionType
		size    *uint32
		body    []byte
		state   State
		variant bool
	}{
		{"none", pb.CompressionType_NONE, nil, text, StateOK, false},
		{"LZ4", pb.CompressionType_LZ4, size, lz4Block(t, text), StateOK, false},
		{"ZLIB", pb.CompressionType_ZLIB, size, zip, StateOK, false},
		{"ZLIB without its end", pb.CompressionType_ZLIB, size, zip[:len(zip)-4], StateOK, true},
		{"ZSTD", pb.CompressionType_ZSTD, size, zstdOf(t, text), StateOK, false},
		{"SNAPPY", pb.CompressionType_SNAPPY, size, snappy.Encode(nil, text), StateOK, false},
		{"SNAPPY in frames", pb.CompressionType_SNAPPY, size, snappyFrames.Bytes(), StateOK, true},
		{"LZ4 in frames", pb.CompressionType_LZ4, size, lz4Frame.Bytes(), StateOK, true},
		{"LZ4 behind its length", pb.CompressionType_LZ4, size, append(binary.LittleEndian.AppendUint32(nil, *size), lz4Block(t, text)...), StateOK, true},
		{"uncompressed size missing", pb.CompressionType_ZSTD, nil, zstdOf(t, text), StateDecompressError, false},
		{"uncompressed size too small", pb.CompressionType_ZSTD, ptr(*size - 1), zstdOf(t, text), StateSizeMismatch, false},
		{"uncompressed size too large", pb.CompressionType_ZSTD, ptr(*size + 1), zstdOf(t, text), StateSizeMismatch, false},
		{"cut", pb.CompressionType_ZSTD, size, zstdOf(t, text)[:30], StateDecompressError, false},
		{"not what it says", pb.CompressionType_SNAPPY, size, []byte("no snappy at all"), StateDecompressError, false},
		{"unknown codec", pb.CompressionType(9), size, text, StateDecompressError, false},
		{"empty", pb.CompressionType_LZ4, ptr(uint32(0)), nil, StateOK, false},
	} {
		m := metadata(0)
		m.Compression, m.UncompressedSize = x.codec.Enum(), x.size
		got := entryOf(t, m, x.body)
		if len(got) != 1 || got[0].State != x.state {
			t.Errorf("%s: %+v", x.name, got)
			continue
		}
		if x.state != StateOK {
			if got[0].Fault == "" || got[0].HasSum || got[0].Payload != "" {
				t.Errorf("%s: %+v", x.name, got[0])
			}
			continue
		}
		want := string(text)
		if x.name == "empty" {
			want = ""
		}
		if got[0].Payload != want || got[0].Sum != fmt.Sprintf("%x", sha256.Sum256([]byte(want))) || (got[0].Variant != "") != x.variant {
			t.Errorf("%s: %d bytes, variant %q", x.name, len(got[0].Payload), got[0].Variant)
		}
	}
}

// A batch with all that its members can say.
func TestBatch(t *testing.T) {
	body := wiremake.Batch(
		wiremake.Single{Metadata: &pb.SingleMessageMetadata{PartitionKey: ptr("k"), Properties: []*pb.KeyValue{{Key: ptr("a"), Value: ptr("1")}}}, Body: []byte("one")},
		wiremake.Single{Metadata: &pb.SingleMessageMetadata{CompactedOut: ptr(true)}},
		wiremake.Single{Metadata: &pb.SingleMessageMetadata{NullValue: ptr(true), EventTime: ptr(uint64(7)), SequenceId: ptr(uint64(9))}},
		wiremake.Single{Body: []byte("four")})
	m := metadata(0)
	m.NumMessagesInBatch = ptr(int32(4))
	m.Compression, m.UncompressedSize = pb.CompressionType_ZLIB.Enum(), ptr(uint32(len(body)))
	got := entryOf(t, m, zipped(t, body))
	want := []struct{ payload, single string }{
		{"one", `{"properties":[{"key":"a","value":"1"}],"partition_key":"k","payload_size":3}`},
		{"", `{"payload_size":0,"compacted_out":true}`},
		{"", `{"payload_size":0,"event_time":7,"sequence_id":9,"null_value":true}`},
		{"four", `{"payload_size":4}`},
	}
	if len(got) != len(want) {
		t.Fatalf("%d messages: %+v", len(got), got)
	}
	for i, w := range want {
		if g := got[i]; g.State != StateOK || g.Index != i || g.BatchSize != 4 || g.Payload != w.payload || g.Single != w.single {
			t.Errorf("message %d: %+v, want %+v", i, g, w)
		}
	}
}

// Batches that are not what they say: one record for the whole, with what is
// wrong.
func TestBadBatches(t *testing.T) {
	two := wiremake.Batch(wiremake.Single{Body: []byte("one")}, wiremake.Single{Body: []byte("two")})
	for _, x := range []struct {
		name string
		n    int32
		body []byte
		want string
	}{
		{"more declared than there are", 3, two, "batch_cut: message 2 of 3: no room for its sizes"},
		{"fewer declared than there are", 1, two, "batch_trailing_bytes: 9 bytes after message 1"},
		{"a byte too many", 2, append(slices.Clone(two), 0), "batch_trailing_bytes: 1 bytes after message 2"},
		{"a byte too few", 2, two[:len(two)-1], "batch_cut: message 1 of 2: size 3"},
		{"text where the size should be", 2, append(slices.Clone(two[:9]), "essage"...), `batch_cut: message 1 of 2: size 1702064993 is the text "essa"`},
		{"text again", 1, []byte("hijklmnop"), `batch_cut: message 0 of 1: size 1751738987 is the text "hijk"`},
		{"no batch at all", 1, nil, "batch_cut: message 0 of 1: no room for its sizes"},
		{"bad metadata", 1, []byte{0, 0, 0, 2, 0, 0}, "batch_metadata_bad: message 0 of 1: size 2"},
		{"no payload size", 1, []byte{0, 0, 0, 0}, "batch_payload_size_bad: message 0 of 1: size 0"},
		{"negative payload size", 1, []byte{0, 0, 0, 11, 0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, "batch_payload_size_bad: message 0 of 1: no room for its sizes"},
		{"none declared", 0, two, "batch_trailing_bytes: 18 bytes after message 0"},
		{"fewer than none", -5, two, "batch_trailing_bytes: 18 bytes after message -5"},
		{"more than can be", 1<<31 - 1, two, "batch_too_large: 2147483647 messages, at most 100000 are read"},
	} {
		m := metadata(0)
		m.NumMessagesInBatch = ptr(x.n)
		got := entryOf(t, m, x.body)
		if len(got) != 1 || got[0].State != StateBatchError || got[0].Fault != x.want || got[0].BatchSize != int(x.n) {
			t.Errorf("%s: %+v", x.name, got)
		}
	}
}

// An entry of which compaction kept some messages keeps their indexes.
func TestCompactedEntry(t *testing.T) {
	m := metadata(0)
	m.NumMessagesInBatch = ptr(int32(5))
	m.CompactedBatchIndexes = []int32{1, 4}
	got := entryOf(t, m, wiremake.Batch(wiremake.Single{Body: []byte("b")}, wiremake.Single{Body: []byte("e")}))
	if len(got) != 2 || got[0].Index != 1 || got[0].Payload != "b" || got[1].Index != 4 || got[1].Payload != "e" || got[1].BatchSize != 5 {
		t.Errorf("%+v", got)
	}
}

// Ciphertext is never decompressed: one entry of so many messages.
func TestEncryptedEntry(t *testing.T) {
	m := metadata(0)
	m.NumMessagesInBatch = ptr(int32(3))
	m.Compression, m.UncompressedSize = pb.CompressionType_ZSTD.Enum(), ptr(uint32(100))
	m.EncryptionKeys = []*pb.EncryptionKeys{{Key: ptr("k"), Value: []byte("sealed")}}
	got := entryOf(t, m, []byte("ciphertext"))
	if len(got) != 1 || got[0].State != StateEncrypted || got[0].BatchSize != 3 || got[0].HasSum {
		t.Errorf("%+v", got)
	}
}

// A null value is told by its flag, not by its length.
func TestNullValue(t *testing.T) {
	m := metadata(0)
	m.NullValue = ptr(true)
	got := said(t, server, message(1, m, []byte("not empty")).Frame(), message(2, metadata(1), nil).Frame())
	if !strings.Contains(got.frames[0].Meta, `"null_value":true`) || strings.Contains(got.frames[1].Meta, "null_value") {
		t.Errorf("%s, %s", got.frames[0].Meta, got.frames[1].Meta)
	}
}

// A schema version that is absent, empty, or a number are three things.
func TestSchemaVersion(t *testing.T) {
	for _, x := range []struct {
		version []byte
		want    string
	}{{nil, ""}, {[]byte{}, `"schema_version":""`}, {[]byte{0, 0, 0, 0, 0, 0, 0, 3}, `"schema_version":"AAAAAAAAAAM="`}} {
		m := metadata(0)
		m.SchemaVersion = x.version
		got := said(t, server, message(1, m, nil).Frame()).frames[0]
		if strings.Contains(got.Meta, "schema_version") != (x.want != "") || !strings.Contains(got.Meta, x.want) {
			t.Errorf("%v: %s", x.version, got.Meta)
		}
	}
}

// A chunk is a record of its own.
func TestChunk(t *testing.T) {
	m := metadata(0)
	m.Uuid, m.NumChunksFromMsg, m.ChunkId, m.TotalChunkMsgSize = ptr("u"), ptr(int32(3)), ptr(int32(1)), ptr(int32(30))
	if got := entryOf(t, m, []byte("part")); len(got) != 1 || got[0].State != StateChunk || got[0].Payload != "part" {
		t.Errorf("%+v", got)
	}
	m.NumChunksFromMsg = ptr(int32(1))
	if got := entryOf(t, m, []byte("all")); len(got) != 1 || got[0].State != StateOK || got[0].Payload != "all" {
		t.Errorf("one chunk alone: %+v", got)
	}
}

// A batch that packs well beyond all measure costs little.
func TestBatchBomb(t *testing.T) {
	body := bytes.Repeat([]byte{0, 0, 0, 2, 0x18, 0}, 30_000_000)
	m := metadata(0)
	m.NumMessagesInBatch = ptr(int32(30_000_000))
	m.Compression, m.UncompressedSize = pb.CompressionType_ZSTD.Enum(), ptr(uint32(len(body)))
	packed := zstdOf(t, body)
	got := entryOf(t, m, packed)
	if len(got) != 1 || got[0].State != StateBatchError || !strings.HasPrefix(got[0].Fault, "batch_too_large") {
		t.Errorf("%d messages of %d bytes", len(got), len(packed))
	}
}
