package scrub

import (
	"bytes"
	"testing"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/bookie"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/reassembly"
)

// Any bytes of a TLS connection, in any pieces, keep their number and the headers
// of records, and nothing of what the application said stays.
func FuzzRecords(f *testing.F) {
	f.Add([]byte("\x16\x03\x01\x00\x04\x01\x00\x00\x00\x17\x03\x03\x00\x06secret"), uint8(3), true)
	f.Add([]byte("\x16\x03\x03\x00\x08\x0b\x00\x00\x06\x00\x00\x03\x00\x14\x03\x03\x00\x01\x01\x15\x03\x03\x00\x02\x02\x28"), uint8(100), true)
	f.Add([]byte("middle of one\x17\x03\x03\x00\x02ab\x17\x03\x03\x00\x02ab\x17\x03\x03\x00\x02ab"), uint8(50), false)
	f.Fuzz(func(t *testing.T, b []byte, piece uint8, aligned bool) {
		s := streams(t)
		c := &reassembly.Conn{}
		for at := 0; at < len(b); at += int(piece) + 1 {
			s.Records(decrypt.Raw{Conn: c, Offset: int64(at), Data: b[at:min(len(b), at+int(piece)+1)], Aligned: aligned || at > 0})
		}
		s.endTLS(c)
		if err := s.spool.sort(); err != nil || s.failed != nil {
			t.Fatal(err, s.failed)
		}
		out := bytes.Clone(b)
		if err := s.spool.read(streamOf{}, 0, out, func(b []byte, at int64, _ bool) { t.Fatalf("no bytes at %d: %x", at, b) }); err != nil {
			t.Fatal(err)
		}
		if aligned {
			checkRecords(t, b, out)
		}
	})
}

// checkRecords compares the records of a stream up to where there are none.
func checkRecords(t *testing.T, b, out []byte) {
	const application = 23
	for len(b) >= decrypt.RecordHeader {
		size, ok := decrypt.RecordSize(b)
		if !ok {
			return
		}
		if !bytes.Equal(b[:decrypt.RecordHeader], out[:decrypt.RecordHeader]) {
			t.Fatalf("header %x becomes %x", b[:decrypt.RecordHeader], out[:decrypt.RecordHeader])
		}
		size = min(size, len(b))
		if body := out[decrypt.RecordHeader:size]; b[0] == application && len(bytes.Trim(body, string(rune(masked)))) > 0 {
			t.Fatalf("%x is still there", body)
		}
		b, out = b[size:], out[size:]
	}
}

// Any frame between a broker and a bookie keeps its length, its layout, its ids and
// the verdicts on its digests.
func FuzzBookie(f *testing.F) {
	message := wiremake.Payload{Metadata: &pb.MessageMetadata{ProducerName: new("p"), SequenceId: new(uint64(1)), PublishTime: new(uint64(1))}, Body: []byte("body")}.Section()
	stored := wiremake.StoredEntry{Ledger: 7, Entry: 4, LastAddConfirmed: 3, Length: 120, Body: message}
	stored32 := stored
	stored32.Digest = wiremake.CRC32
	key := make([]byte, 20)
	for _, frame := range [][]byte{
		wiremake.Bookie2(1, 0, key, stored.Bytes()), wiremake.Bookie2(1, 0, key, stored32.Bytes()), wiremake.Bookie2(2, 0, uint32(0), 7, 4, stored.Bytes()),
		wiremake.Bookie2(2, 1, 7, -1, key), wiremake.Bookie2(3, 0, []byte("\x0a\x01p\x12\x01s")), wiremake.Bookie2(9, 0, key),
		[]byte("\x00\x00\x00\x10\x0a\x06\x08\x03\x10\x02\x18\x05\xa2\x06\x04\x08\x07\x10\x04"),
	} {
		f.Add(frame, uint16(len(frame)))
	}
	f.Fuzz(func(t *testing.T, b []byte, captured uint16) {
		size, ok := bookie.Size(b)
		if b = b[:min(len(b), size, int(captured))]; !ok || len(b) < sizeField+bookieHeader {
			return
		}
		var was, is bookie.Reader
		before := &decode.BookieFrame{Packet: was.Read(b[sizeField:], size-sizeField), Bytes: b, Conn: &decode.Conn{}, Size: int64(size), Incomplete: len(b) < size}
		out := streams(t).bookie(before)
		after := is.Read(out[sizeField:], size-sizeField)
		if len(out) != len(b) || after.Op != before.Op || after.Ledger != before.Ledger || after.Entry != before.Entry || len(after.Stored) != len(before.Stored) {
			t.Fatalf("%x becomes %x", b, out)
		}
		for i := range after.Stored {
			if a, b := &after.Stored[i], &before.Stored[i]; a.Verdict != b.Verdict || a.Digest != b.Digest || a.Length != b.Length {
				t.Fatalf("entry %+v becomes %+v", b, a)
			}
		}
	})
}
