package decode

import (
	"encoding/binary"
	"strconv"

	"pulsar-dissect/decode/bookie"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
)

// Sizes of the frame layout, in bytes (protocol, section Frames).
const (
	sizeField    = 4             // each size is 4 bytes, unsigned, big-endian
	headerSize   = 2 * sizeField // total size and command size
	leastTotal   = 6             // command size and the smallest command
	leastCommand = 2             // the type alone
)

// Limits of frames, in bytes.
const (
	DefaultMaxMessageSize = 5 << 20   // what brokers take by default
	framePadding          = 10 << 10  // room for what comes with a message
	hugeFrame             = 256 << 20 // above it no size is believed
)

// Checksum is the verdict on a payload frame's CRC32-C.
type Checksum uint8

// The verdicts. A frame that the capture cut has none.
const (
	NoChecksum Checksum = iota // not a payload frame, or not whole
	ChecksumOK
	ChecksumBad
	ChecksumAbsent // sent without one
)

// String is the name that the JSON output uses.
func (c Checksum) String() string { return [...]string{"", "ok", "bad", "absent"}[c] }

// Frame is one frame of the protocol. It is reused, and all its slices are
// borrowed: valid until the next pull.
type Frame struct {
	Conn      *Conn
	Direction Direction
	Offset    int64    // of its first byte in the direction's stream
	Size      int64    // bytes, with the size field itself
	First     Position // packet of its first byte
	Last      Position // packet that completed it, or that has the last byte before the hole
	Bytes     []byte   // all of it that was captured

	Type    int32          // number of the command
	Command *proto.Command // row of the catalogue, nil for an unknown type
	Base    wire.Walk      // the BaseCommand
	Sub     int            // node of the sub-command in Base, -1 if there is none

	Checksum         Checksum
	StoredChecksum   uint32 // as on the wire
	ComputedChecksum uint32 // over metadata size, metadata and payload

	HasBrokerEntry bool
	BrokerEntry    wire.Walk // BrokerEntryMetadata
	HasMetadata    bool
	Metadata       wire.Walk // MessageMetadata
	Payload        []byte    // what follows the metadata; nil where the frame is not whole
	PayloadFault   string    // why the part after the command cannot be read, or empty

	Incomplete bool  // the capture does not have all of it
	Have       int64 // Incomplete: bytes up to the first hole
	Resync     bool  // first frame after bytes were skipped or a gap
	Issues     []string
}

// TypeName is the name of the command, or UNKNOWN(number).
func (f *Frame) TypeName() string {
	if f.Command == nil {
		return unknownType(f.Type)
	}
	return f.Command.Name
}

// Is says whether the frame is of a type.
func (f *Frame) Is(number int32) bool { return f.Type == number }

// Uint gives a numeric field of the sub-command, as on the wire.
func (f *Frame) Uint(number int32) (uint64, bool) {
	if f.Sub < 0 {
		return 0, false
	}
	return f.Base.Uint(f.Sub, number)
}

// Text gives a string or bytes field of the sub-command, borrowed.
func (f *Frame) Text(number int32) []byte {
	if f.Sub < 0 {
		return nil
	}
	b, _ := f.Base.Text(f.Sub, number)
	return b
}

// MessageCount is the number of messages that the entry holds, as its metadata
// says; 1 if it says nothing.
func (f *Frame) MessageCount() int {
	if n, ok := f.Metadata.Uint(-1, field.MessageMetadataNumMessagesInBatch); ok && f.HasMetadata {
		return int(int32(n))
	}
	return 1
}

// Batched says whether the payload has batch layout: num_messages_in_batch is
// present, also when it is 1.
func (f *Frame) Batched() bool {
	_, ok := f.Metadata.Uint(-1, field.MessageMetadataNumMessagesInBatch)
	return ok && f.HasMetadata
}

func bigEndian(b []byte) int64 { return int64(binary.BigEndian.Uint32(b)) }

// read fills the frame from all its bytes. It says whether the command is
// sound.
func (f *Frame) read(b []byte, offset, size int64, p positions) bool {
	f.Offset, f.Size, f.First, f.Last = offset, size, p.first, p.last
	f.Incomplete, f.Have = false, 0
	return f.parse(b)
}

// readCut fills the frame from its first bytes.
func (f *Frame) readCut(b []byte, offset, size int64, p positions) bool {
	f.Offset, f.Size, f.First, f.Last = offset, size, p.first, p.last
	f.Incomplete, f.Have = true, int64(len(b))
	return f.parse(b)
}

// ReadFrame reads a frame that stands alone, as it is on the wire; one of which
// less is there than its size field says is Incomplete. sound says whether its
// command is; ok, whether b can be a frame at all.
func ReadFrame(f *Frame, b []byte) (sound, ok bool) {
	if len(b) < headerSize+leastCommand || bigEndian(b) < leastTotal {
		return false, false
	}
	size := sizeField + bigEndian(b)
	switch {
	case size < int64(len(b)) || bigEndian(b[sizeField:]) > size-headerSize:
		return false, false
	case size > int64(len(b)):
		return f.readCut(b, 0, size, positions{}), true
	}
	return f.read(b, 0, size, positions{}), true
}

// parse reads a frame from its bytes, of which those from f.Have on are
// missing when f.Incomplete is set. It says whether the command is sound: the
// type is there, and of a known type the sub-command with all its required
// fields.
func (f *Frame) parse(b []byte) bool {
	f.Bytes, f.Type, f.Command, f.Sub = b, -1, nil, -1
	f.clear()
	end := headerSize + bigEndian(b[sizeField:])
	if end > int64(len(b)) {
		f.Issues = append(f.Issues, "command_cut")
		return false
	}
	sound := f.parseCommand(b[headerSize:end])
	if f.Size > DefaultMaxMessageSize+framePadding {
		f.Issues = append(f.Issues, "over_default_max_frame")
	}
	f.parseRest(b[end:])
	return sound
}

// clear forgets what followed the command of the frame before.
func (f *Frame) clear() {
	f.Checksum, f.HasBrokerEntry, f.HasMetadata = NoChecksum, false, false
	f.Payload, f.PayloadFault = nil, ""
	f.Issues = f.Issues[:0]
}

func (f *Frame) parseCommand(b []byte) bool {
	if err := f.Base.Parse(wire.BaseCommand, b); err != nil {
		f.Issues = append(f.Issues, "command_unparsable: "+err.Error())
		return false
	}
	t, ok := f.Base.Uint(-1, field.BaseCommandType)
	if !ok {
		return false
	}
	f.Type = int32(t)
	f.Command = proto.ByNumber(f.Type)
	if f.Command == nil {
		return true
	}
	if sub, ok := f.Base.Sub(-1, f.Type); ok {
		f.Sub = sub
	} else if !emptyCommand(f.Type) {
		f.Issues = append(f.Issues, "missing_subcommand")
		return false
	}
	if extraCommand(&f.Base, f.Type) {
		f.Issues = append(f.Issues, "extra_subcommand")
	}
	return f.Base.Found&wire.MissingRequired == 0
}

// emptyCommand says whether the type may come without its sub-command: PING
// and PONG have nothing to say.
func emptyCommand(t int32) bool {
	return t == int32(pb.BaseCommand_PING) || t == int32(pb.BaseCommand_PONG)
}

// TypeName is the name of a command type or of a bookie's operation, or
// UNKNOWN(number).
func TypeName(t int32) string {
	if t >= BookieTypes/2 {
		return bookie.Op(t - BookieTypes).String()
	}
	if c := proto.ByNumber(t); c != nil {
		return c.Name
	}
	return unknownType(t)
}

func unknownType(t int32) string { return "UNKNOWN(" + strconv.Itoa(int(t)) + ")" }

// EachIssue calls take for everything that is wrong with the frame.
func (f *Frame) EachIssue(take func(text string)) {
	for _, text := range f.Issues {
		take(text)
	}
	if f.Type >= 0 {
		eachIssue("", &f.Base, take)
	}
	if f.HasBrokerEntry {
		eachIssue("broker_entry_metadata.", &f.BrokerEntry, take)
	}
	if f.HasMetadata {
		eachIssue("metadata.", &f.Metadata, take)
	}
}

func eachIssue(prefix string, w *wire.Walk, take func(text string)) {
	for i := range w.Issues {
		take(prefix + w.Issues[i].String())
	}
}
