package reassembly

import (
	"encoding/binary"
	"iter"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/reassembly/segment"
)

// raw is an IPv4 packet with a TCP segment whose checksum is as given.
func raw(sequence uint32, flags byte, checksum uint16, data []byte) []byte {
	b := []byte{0x45, 0, 0, 0, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2}
	binary.BigEndian.PutUint16(b[2:], uint16(40+len(data)))
	b = binary.BigEndian.AppendUint16(b, 40000)
	b = binary.BigEndian.AppendUint16(b, 6650)
	b = binary.BigEndian.AppendUint32(b, sequence)
	b = append(b, 0, 0, 0, 0, 0x50, flags, 0xff, 0xff, byte(checksum>>8), byte(checksum), 0, 0)
	return append(b, data...)
}

// One segment whose checksum was left to the card, then many wrong ones: they
// are all there is, so they have to do, and no byte may be lost without a word.
func TestManyWrongChecksumsAreUsed(t *testing.T) {
	const segments, size = 600, 100
	var packets [][]byte
	packets = append(packets, raw(0, segment.SYN, 0, nil)) // 0: left to the card
	for i := range segments {
		packets = append(packets, raw(uint32(1+i*size), segment.ACK, 0xdead, make([]byte, size)))
	}
	source := func(yield func(capture.Packet, error) bool) {
		for i, b := range packets {
			if !yield(capture.Packet{Number: uint64(i + 1), Link: 101, Data: b, OrigLen: len(b)}, nil) {
				return
			}
		}
	}
	a := New(Limits{}, segment.NewParser(segment.Limits{}))
	var got int64
	for e := range a.Events(iter.Seq2[capture.Packet, error](source)) {
		switch e.Kind {
		case Data:
			if e.Offset != got {
				t.Fatalf("bytes at %d, want %d", e.Offset, got)
			}
			got += int64(len(e.Data))
		case Gap:
			t.Fatalf("gap of %d bytes at %d", e.Bytes, e.Offset)
		}
	}
	if got != segments*size {
		t.Errorf("%d bytes, want %d", got, segments*size)
	}
}
