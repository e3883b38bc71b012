package decode

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"math"
	"strconv"

	"pulsar-dissect/decode/codec"
	"pulsar-dissect/decode/endtoend"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
)

// State says how far an entry could be read.
type State uint8

// The states of a message record.
const (
	StateOK State = iota
	StateEncrypted
	StateChunk
	StateDecompressError
	StateSizeMismatch
	StateBatchError
	StateIncomplete
)

// String is the name that the JSON output uses.
func (s State) String() string {
	return [...]string{"ok", "encrypted", "chunk", "decompress_error", "uncompressed_size_mismatch", "batch_error", "incomplete"}[s]
}

// Message is one single message of an entry, or the whole entry where its
// state is not ok. Slices are borrowed from the Unpacker until its next call.
type Message struct {
	Batched   bool
	Index     int // in the batch
	BatchSize int // number of messages of the entry, as its metadata says
	State     State
	Fault     string     // what is wrong with the entry, where the state is not ok
	Metadata  *wire.Walk // MessageMetadata of the entry
	Single    *wire.Walk // SingleMessageMetadata; nil when not batched
	Payload   []byte     // of a chunk: its part, decrypted, compressed with the others
	HasSum    bool
	Sum       [sha256.Size]byte // SHA-256 of Payload
	Codec     codec.Codec
	Variant   string // of the codec, where the payload is not as the codec's name says
	Encrypted bool
	Marker    *Marker // nil for messages of producers
}

// Unpacker takes entries apart. It is not safe for concurrent use.
type Unpacker struct {
	NoSum    bool           // do not compute SHA-256 of payloads
	MaxBatch int            // most messages of an entry that are read one by one; 0: DefaultBatchMessages
	TooLarge uint64         // entries that had more
	Keys     *endtoend.Keys // open encrypted payloads; nil: none

	decompressor codec.Decompressor
	single       wire.Walk
	message      Message
	places       []Place
	recipients   []endtoend.Recipient
	opened       []byte
	marker       Marker
	markerBody   wire.Walk
}

// Entry is what lies in the payload of a SEND or MESSAGE, or in the chunks of
// a message put together.
type Entry struct {
	Metadata *wire.Walk // MessageMetadata
	Payload  []byte     // compressed, and encrypted unless it is opened
	Opened   bool       // decrypted already, or never encrypted
	Chunk    bool       // one chunk of a larger message
}

// EntryOf gives the entry of a payload frame that was captured whole.
func (f *Frame) EntryOf() Entry {
	n, _ := f.Metadata.Int32(wire.Top, field.MessageMetadataNumChunksFromMsg)
	return Entry{Metadata: &f.Metadata, Payload: f.Payload, Chunk: n > 1}
}

// Frame takes the entry of a payload frame apart. It calls take for each
// message, in order; for an entry that cannot be read, once.
func (u *Unpacker) Frame(f *Frame, take func(*Message)) {
	switch {
	case f.Incomplete:
		u.whole(&f.Metadata, f.HasMetadata, StateIncomplete, "", take)
	case !f.HasMetadata || f.PayloadFault != "":
		u.whole(&f.Metadata, f.HasMetadata, StateBatchError, f.PayloadFault, take)
	default:
		u.Entry(f.EntryOf(), take)
	}
}

// Entry takes an entry apart.
func (u *Unpacker) Entry(e Entry, take func(*Message)) {
	m := e.Metadata
	if err := u.open(&e); err != nil {
		u.whole(m, true, StateEncrypted, err.Error(), take)
		return
	}
	if e.Chunk {
		u.whole(m, true, StateChunk, "", func(msg *Message) {
			msg.Payload = e.Payload
			take(msg)
		})
		return
	}
	plain, variant, err := u.decompress(m, e.Payload)
	if err != nil {
		state := StateDecompressError
		if e := (*codec.Error)(nil); errors.As(err, &e) && e.Code == codec.UncompressedSizeMismatch {
			state = StateSizeMismatch
		}
		u.whole(m, true, state, err.Error(), take)
		return
	}
	u.split(m, plain, variant, take)
}

// whole gives one record for an entry that cannot be read further.
func (u *Unpacker) whole(m *wire.Walk, known bool, state State, fault string, take func(*Message)) {
	msg := &u.message
	*msg = Message{State: state, Fault: fault, BatchSize: 1}
	if known {
		msg.describe(m)
	}
	take(msg)
}

// describe fills what the entry's metadata says of all its messages.
func (msg *Message) describe(m *wire.Walk) {
	msg.Metadata, msg.BatchSize = m, 1
	if n, ok := m.Int32(wire.Top, field.MessageMetadataNumMessagesInBatch); ok {
		msg.Batched, msg.BatchSize = true, int(n)
	}
	c, _ := m.Int32(wire.Top, field.MessageMetadataCompression)
	msg.Codec = codec.Codec(c)
	msg.Encrypted = encrypted(m)
}

func (u *Unpacker) decompress(m *wire.Walk, payload []byte) (plain []byte, variant string, err error) {
	c, _ := m.Int32(wire.Top, field.MessageMetadataCompression)
	if codec.Codec(c) == codec.None {
		return payload, "", nil
	}
	size, present := m.Uint(wire.Top, field.MessageMetadataUncompressedSize)
	r, err := u.decompressor.Decompress(codec.Codec(c), payload, uint32(size), present)
	return r.Plain, r.Variant, err
}

// split gives the messages of a plain entry.
func (u *Unpacker) split(m *wire.Walk, plain []byte, variant string, take func(*Message)) {
	msg := &u.message
	*msg = Message{Variant: variant}
	msg.describe(m)
	if !msg.Batched {
		msg.Marker = u.markerOf(m, plain)
		u.give(plain, take)
		return
	}
	fault, kept := u.layOut(plain, msg.BatchSize), []int32(nil)
	if fault != "" {
		kept = compactedIndexes(m)
		if len(kept) == 0 || u.layOut(plain, len(kept)) != "" {
			u.whole(m, true, StateBatchError, fault, take)
			return
		}
	}
	for i, p := range u.places {
		if err := u.single.Parse(wire.SingleMessageMetadata, plain[p.Metadata:p.Payload]); err != nil {
			continue // cannot be: layOut has parsed the same bytes
		}
		msg.Index, msg.Single = i, &u.single
		if kept != nil {
			msg.Index = int(kept[i])
		}
		u.give(plain[p.Payload:p.End], take)
	}
}

func (u *Unpacker) give(payload []byte, take func(*Message)) {
	msg := &u.message
	msg.Payload = payload
	if msg.HasSum = !u.NoSum; msg.HasSum {
		msg.Sum = sha256.Sum256(payload)
	}
	take(msg)
}

// compactedIndexes gives compacted_batch_indexes: an entry may hold only the
// messages that compaction kept.
func compactedIndexes(m *wire.Walk) (kept []int32) {
	for i := range m.Each(wire.Top, field.MessageMetadataCompactedBatchIndexes) {
		kept = append(kept, int32(m.Nodes[i].Int64()))
	}
	return kept
}

// Place is where a message lies in a batch: offsets of its metadata, which has
// 4 bytes of its size ahead, of its payload, and of what follows.
type Place struct{ Metadata, Payload, End int }

// AsMany stands for the number of messages in a batch where it is not known.
const AsMany = math.MinInt

// LayOut finds the messages of a batch of n, or AsMany, in its plain bytes. The fault tells where it breaks off; the places before it
// are there. They are valid until the next entry.
func (u *Unpacker) LayOut(plain []byte, n int) (places []Place, fault string) {
	fault = u.layOut(plain, n)
	return u.places, fault
}

// Plain opens and decompresses an entry. What it gives is valid until the next
// entry.
func (u *Unpacker) Plain(e Entry) (plain []byte, variant string, err error) {
	if err := u.open(&e); err != nil {
		return nil, "", err
	}
	return u.decompress(e.Metadata, e.Payload)
}

// DefaultBatchMessages is how many messages of an entry are read one by one at
// most: a few kilobytes, compressed, can hold millions of empty ones.
const DefaultBatchMessages = 100_000

// FaultBatchTooLarge begins the fault of an entry with more messages.
const FaultBatchTooLarge = "batch_too_large"

// layOut finds the messages of a batch: [size][SingleMessageMetadata][payload]
// each, sizes big-endian (protocol, section Payload). It is done before any is
// given, so that a batch which breaks off gives one record and not some.
func (u *Unpacker) layOut(b []byte, n int) (fault string) {
	u.places = u.places[:0]
	if most := cmp.Or(u.MaxBatch, DefaultBatchMessages); n > most {
		u.TooLarge++
		return FaultBatchTooLarge + ": " + strconv.Itoa(n) + " messages, at most " + strconv.Itoa(most) + " are read"
	}
	at := 0
	for i := 0; i < n || n == AsMany && at < len(b); i++ {
		size := int64(-1)
		if len(b)-at >= sizeField {
			size = bigEndian(b[at:])
		}
		at += sizeField
		if size < 0 || size > int64(len(b)-at) {
			return batchFault("batch_cut", i, n, size)
		}
		p := Place{Metadata: at, Payload: at + int(size)}
		if err := u.single.Parse(wire.SingleMessageMetadata, b[p.Metadata:p.Payload]); err != nil {
			return batchFault("batch_metadata_bad", i, n, size)
		}
		payload, ok := u.single.Int64(wire.Top, field.SingleMessageMetadataPayloadSize)
		if !ok || payload < 0 {
			return batchFault("batch_payload_size_bad", i, n, payload)
		}
		if payload > int64(len(b)-p.Payload) {
			return batchFault("batch_cut", i, n, payload)
		}
		p.End = p.Payload + int(payload)
		u.places = append(u.places, p)
		at = p.End
	}
	if at < len(b) {
		return "batch_trailing_bytes: " + strconv.Itoa(len(b)-at) + " bytes after message " + strconv.Itoa(n)
	}
	return ""
}

// batchFault says at which message a batch breaks off, and shows the size that
// misled as text where it is text.
func batchFault(code string, i, n int, size int64) string {
	s := code + ": message " + strconv.Itoa(i)
	if n != AsMany {
		s += " of " + strconv.Itoa(n)
	}
	if size < 0 {
		return s + ": no room for its sizes"
	}
	s += ": size " + strconv.FormatInt(size, 10)
	text := []byte{byte(size >> 24), byte(size >> 16), byte(size >> 8), byte(size)}
	for _, c := range text {
		if c < ' ' || c > '~' {
			return s
		}
	}
	return s + " is the text " + strconv.Quote(string(text))
}
