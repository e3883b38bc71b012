package session

import (
	"bytes"
	"slices"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
)

// chunkKey names a message that is sent in chunks. A producer may go on over
// another connection, so that a SEND is known by its topic.
type chunkKey struct {
	frameType int32
	topic     string // SEND, where known
	conn      int    // else
	id        uint64 // producer or consumer of the connection
	producer  string
	uuid      string
}

// assembly is a message being put together.
type assembly struct {
	key    chunkKey
	about  Chunked
	parts  map[int][]byte
	ids    map[int]MessageID
	sealed bool   // no key opens one of the chunks
	fault  string // then
	done   bool
	last   Event // place of the latest chunk
	txn    TxnID
	inTxn  bool
	schema *Schema
}

// chunkTable holds the assemblies, within the limits.
type chunkTable struct {
	limits   *Limits
	counters *Counters
	byKey    map[chunkKey]*assembly
	order    []*assembly // oldest first
	bytes    int
}

// chunkPart is what one chunk brings.
type chunkPart struct {
	payload []byte // decrypted, borrowed
	sealed  bool   // no key opens it
	fault   string // then
}

// chunk takes one chunk of a message.
func (s *Session) chunk(c *Conn, f *decode.Frame, p chunkPart) {
	n, _ := f.Metadata.Int32(wire.Top, field.MessageMetadataNumChunksFromMsg)
	i, ok := f.Metadata.Int32(wire.Top, field.MessageMetadataChunkId)
	k := s.chunkKeyOf(c, f)
	a := s.chunks.find(k, ok && i == 0)
	if a == nil {
		a = s.newAssembly(k, f, int(n))
	}
	if !ok || i < 0 || int(i) >= a.about.Chunks {
		return
	}
	s.addChunk(a, f, int(i), p)
	a.last = s.event
	a.last.Frame = nil
	if !a.done && len(a.parts) == a.about.Chunks {
		a.done = true
		s.assembled(a, f)
		s.chunks.release(a)
	}
}

func (s *Session) chunkKeyOf(c *Conn, f *decode.Frame) chunkKey {
	k := chunkKey{frameType: f.Type, producer: metaText(f, field.MessageMetadataProducerName), uuid: metaText(f, field.MessageMetadataUuid)}
	if f.Is(int32(pb.BaseCommand_SEND)) {
		p := s.event.Producer
		if k.topic = p.Topic; k.topic == "" || p.Inferred { // not one thing for a chunk and another for the next
			k.topic, k.conn, k.id = "", c.ID, p.ID
		}
		return k
	}
	k.conn, k.id = c.ID, s.event.Consumer.ID
	return k
}

func metaText(f *decode.Frame, number int32) string {
	b, _ := f.Metadata.Text(wire.Top, number)
	return string(b)
}

// find gives the assembly of a key. Chunk 0 after a whole message begins it
// again: it was delivered once more.
func (t *chunkTable) find(k chunkKey, isFirst bool) *assembly {
	a := t.byKey[k]
	if a != nil && a.done && isFirst {
		t.remove(a)
		return nil
	}
	return a
}

func (s *Session) newAssembly(k chunkKey, f *decode.Frame, n int) *assembly {
	t := &s.chunks
	for len(t.order) >= t.limits.ChunkedMessages {
		s.letGoChunks()
	}
	total, _ := f.Metadata.Int32(wire.Top, field.MessageMetadataTotalChunkMsgSize)
	a := &assembly{key: k, parts: map[int][]byte{}, ids: map[int]MessageID{}, last: s.event}
	a.last.Frame = nil
	a.txn, a.inTxn = TxnOf(f)
	a.schema = s.schemaOf(s.event.Conn, f)
	a.about = Chunked{UUID: k.uuid, ProducerName: k.producer, Chunks: n, TotalSize: int64(total)}
	if t.byKey == nil {
		t.byKey = map[chunkKey]*assembly{}
	}
	t.byKey[k] = a
	t.order = append(t.order, a)
	return a
}

func (s *Session) addChunk(a *assembly, f *decode.Frame, i int, p chunkPart) {
	t := &s.chunks
	if node, ok := f.Base.Sub(f.Sub, field.CommandMessageMessageId); ok && f.Is(int32(pb.BaseCommand_MESSAGE)) {
		a.ids[i] = messageID(&f.Base, node)
	}
	if a.done {
		return
	}
	if p.sealed {
		a.sealed, a.fault = true, p.fault
	}
	if former, again := a.parts[i]; again {
		t.bytes -= len(former) + chunkCost
	}
	t.bytes += len(p.payload) + chunkCost
	a.parts[i] = bytes.Clone(p.payload)
	for t.bytes > t.limits.ChunkBytes && len(t.order) > 0 {
		s.letGoChunks()
	}
}

// chunkCost is what keeping a chunk takes beside its bytes.
const chunkCost = 128

// assembled gives the whole message.
func (s *Session) assembled(a *assembly, f *decode.Frame) {
	a.about.Complete = true
	if a.sealed {
		s.emitChunked(a, &decode.Message{State: decode.StateEncrypted, Fault: a.fault, Metadata: &f.Metadata, BatchSize: 1, Encrypted: true})
		return
	}
	var whole []byte
	for i := range a.about.Chunks {
		whole = append(whole, a.parts[i]...)
	}
	given := false
	s.unpacker.Entry(decode.Entry{Metadata: &f.Metadata, Payload: whole, Opened: true}, func(d *decode.Message) {
		if !given {
			given = true
			s.emitChunked(a, d)
		}
	})
}

func (s *Session) emitChunked(a *assembly, d *decode.Message) {
	a.about.Missing = nil
	a.about.IDs = a.about.IDs[:0]
	for i := range min(a.about.Chunks, largestChunkCount) {
		if _, ok := a.parts[i]; !ok {
			a.about.Missing = append(a.about.Missing, i)
		}
		if id, ok := a.ids[i]; ok {
			a.about.IDs = append(a.about.IDs, id)
		}
	}
	kept := s.event
	s.event.Message, s.event.Chunked = &Message{Message: d, Txn: a.txn, InTxn: a.inTxn, Schema: a.schema, goClient: kept.Conn.speaksGo()}, &a.about
	s.emit(ChunkedMessage)
	s.event = kept
}

// largestChunkCount is how many chunks of an incomplete message are looked at
// to say which are missing.
const largestChunkCount = 1 << 16

// release forgets the bytes of a whole message. Its key stays, so that a chunk
// sent again does not begin another.
func (t *chunkTable) release(a *assembly) {
	for _, p := range a.parts {
		t.bytes -= len(p) + chunkCost
	}
	a.parts, a.ids = map[int][]byte{}, map[int]MessageID{}
}

func (t *chunkTable) remove(a *assembly) {
	t.release(a)
	delete(t.byKey, a.key)
	if i := slices.Index(t.order, a); i >= 0 {
		t.order = slices.Delete(t.order, i, i+1)
	}
}

// letGoChunks gives up the oldest message.
func (s *Session) letGoChunks() {
	a := s.chunks.order[0]
	if !a.done {
		s.counters.Chunked++
		s.incomplete(a)
	}
	s.chunks.remove(a)
}

func (s *Session) incomplete(a *assembly) {
	kept := s.event
	s.event = a.last
	s.emitChunked(a, &decode.Message{State: decode.StateIncomplete, BatchSize: 1})
	s.event = kept
}

// finishChunks gives what was never completed, at the end of the run.
func (s *Session) finishChunks() {
	for _, a := range s.chunks.order {
		if !a.done {
			s.incomplete(a)
		}
	}
}
