package wiremake

import (
	"encoding/binary"
	"hash/crc32"

	"google.golang.org/protobuf/proto"
)

// StoredEntry is an entry as a BookKeeper client packs it for a bookie.
type StoredEntry struct {
	Ledger, Entry, LastAddConfirmed, Length int64
	Digest                                  func(numbers, body []byte) []byte // nil: CRC32-C
	Body                                    []byte
}

// Bytes are ids, last add confirmed, length, digest, entry.
func (s StoredEntry) Bytes() []byte {
	var b []byte
	for _, v := range []int64{s.Ledger, s.Entry, s.LastAddConfirmed, s.Length} {
		b = binary.BigEndian.AppendUint64(b, uint64(v))
	}
	digest := s.Digest
	if digest == nil {
		digest = CRC32C
	}
	return append(append(b, digest(b, s.Body)...), s.Body...)
}

// CRC32C is the digest that brokers use by default.
func CRC32C(numbers, body []byte) []byte {
	all := append(append([]byte(nil), numbers...), body...)
	return binary.BigEndian.AppendUint32(nil, crc32.Checksum(all, crc32.MakeTable(crc32.Castagnoli)))
}

// CRC32 is the digest of older clients: 8 bytes, of which the upper 4 are 0.
func CRC32(numbers, body []byte) []byte {
	all := append(append([]byte(nil), numbers...), body...)
	return binary.BigEndian.AppendUint64(nil, uint64(crc32.ChecksumIEEE(all)))
}

// Bookie2 is a frame of version 2 of the protocol of bookies: length, header,
// and what follows, of which numbers are written with 8 bytes each.
func Bookie2(op byte, flags uint16, rest ...any) []byte {
	b := []byte{2, op, byte(flags >> 8), byte(flags)}
	for _, v := range rest {
		switch v := v.(type) {
		case int:
			b = binary.BigEndian.AppendUint64(b, uint64(v))
		case uint32:
			b = binary.BigEndian.AppendUint32(b, v)
		case []byte:
			b = append(b, v...)
		}
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
}

// Bookie3 is a frame of version 3: length, Request or Response.
func Bookie3(m proto.Message) []byte {
	b := Bytes(m)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
}
