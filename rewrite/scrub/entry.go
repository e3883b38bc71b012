package scrub

import (
	"bytes"
	"crypto/sha256"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/codec"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
)

// payload replaces a payload in place. m is its metadata as it was; whole says
// that all of it is there.
func (s *Streams) payload(b []byte, m *wire.Walk, whole bool) {
	c, _ := m.Int32(wire.Top, field.MessageMetadataCompression)
	chunks, _ := m.Int32(wire.Top, field.MessageMetadataNumChunksFromMsg)
	_, marker := m.Int32(wire.Top, field.MessageMetadataMarkerType)
	switch {
	case marker: // of brokers for brokers: positions
	case m.Find(wire.Top, field.MessageMetadataEncryptionKeys) >= 0:
		s.names.random(b)
	case chunks > 1:
		s.chunk(b, m, codec.Codec(c))
	case !whole:
		s.names.fill(b)
	case codec.Codec(c) == codec.None:
		s.plain(b, m, s.names.fill)
	default:
		s.compressed(b, m, codec.Codec(c))
	}
}

// plain replaces the messages in a plain entry, whose bodies fill overwrites.
func (s *Streams) plain(b []byte, m *wire.Walk, fill func(body []byte)) {
	n, batched := m.Int32(wire.Top, field.MessageMetadataNumMessagesInBatch)
	if !batched {
		fill(b)
		return
	}
	places, _ := s.unpacker.LayOut(b, s.inBatch(b, m, int(n)))
	at := 0
	for _, p := range places {
		var single wire.Walk
		if single.Parse(wire.SingleMessageMetadata, bytes.Clone(b[p.Metadata:p.Payload])) == nil {
			s.walked(b[p.Metadata:p.Payload], &single)
		}
		fill(b[p.Payload:p.End])
		at = p.End
	}
	mask(b[at:]) // the batch breaks off there
}

// inBatch is how many messages a batch has that its metadata says to have n: those
// that compaction kept.
func (s *Streams) inBatch(b []byte, m *wire.Walk, n int) int {
	kept := 0
	for range m.Each(wire.Top, field.MessageMetadataCompactedBatchIndexes) {
		kept++
	}
	if _, fault := s.unpacker.LayOut(b, n); fault != "" && kept > 0 {
		return kept
	}
	return n
}

// compressed replaces a compressed entry by one of the same size, compressed and
// plain.
func (s *Streams) compressed(b []byte, m *wire.Walk, c codec.Codec) {
	was, variant, err := s.unpacker.Plain(decode.Entry{Metadata: m, Payload: b})
	if err != nil {
		s.names.random(b) // it could not be read before either
		return
	}
	plain := bytes.Clone(was)
	var bodies [][]byte
	s.plain(plain, m, func(body []byte) { bodies = append(bodies, body) })
	if !s.fit(b, c, variant, plain, bodies) {
		s.Unfit++
		s.names.random(b)
	}
}

// chunk replaces a chunk of a message. Where that is compressed, the chunk is the
// same part of another message of the same sizes.
func (s *Streams) chunk(b []byte, m *wire.Walk, c codec.Codec) {
	total, ok := m.Int32(wire.Top, field.MessageMetadataTotalChunkMsgSize)
	if c == codec.None || !ok {
		s.names.fill(b)
		return
	}
	uuid, _ := m.Text(wire.Top, field.MessageMetadataUuid)
	whole := s.wholeOf(string(uuid), m, c, int(total))
	i, _ := m.Int32(wire.Top, field.MessageMetadataChunkId)
	n, _ := m.Int32(wire.Top, field.MessageMetadataNumChunksFromMsg)
	at := int(i) * len(b)
	if i == n-1 {
		at = int(total) - len(b)
	}
	if at < 0 || at+len(b) > len(whole) {
		s.names.random(b)
		return
	}
	copy(b, whole[at:])
}

// largestWhole bounds the messages that are made for the sake of their chunks, in
// bytes.
const largestWhole = 64 << 20

// wholeOf gives the message that takes the place of one in chunks: the latest one
// is kept.
func (s *Streams) wholeOf(uuid string, m *wire.Walk, c codec.Codec, total int) []byte {
	if s.chunked.uuid == uuid && len(s.chunked.whole) == total {
		return s.chunked.whole
	}
	size, _ := m.Uint(wire.Top, field.MessageMetadataUncompressedSize)
	if total <= 0 || total > largestWhole || size > largestWhole {
		return nil
	}
	sum := sha256.Sum256([]byte(uuid))
	whole, plain := make([]byte, total), bytes.Repeat([]byte(letters[:1]), int(size))
	copy(whole, sum[:])
	if !s.fit(whole, c, "", plain, [][]byte{plain}) {
		return nil
	}
	s.chunked.uuid, s.chunked.whole = uuid, whole
	return whole
}
