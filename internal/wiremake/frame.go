package wiremake

import (
	"encoding/binary"
	"hash/crc32"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/proto/pb"
)

// Sum says which checksum a payload frame carries.
type Sum uint8

// The checksums: right, one that does not match, none.
const (
	Right Sum = iota
	Bad
	Absent
)

// Payload is a frame with what follows its command. Metadata may be nil: then
// nothing follows.
type Payload struct {
	Command     *pb.BaseCommand
	BrokerEntry *pb.BrokerEntryMetadata // nil: none
	Metadata    *pb.MessageMetadata
	Body        []byte
	Sum         Sum
}

// Frame is a frame of a command alone: total size, command size, command;
// sizes big-endian.
func Frame(c *pb.BaseCommand) []byte { return Raw(Bytes(c)) }

// Bytes are a message as the protobuf library writes it, also where required
// fields are missing, the same on each call.
func Bytes(m proto.Message) []byte {
	b, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(m)
	if err != nil {
		panic(err) // a string that is not UTF-8: a mistake of the test
	}
	return b
}

// Raw is a frame around the bytes of a command and what follows it.
func Raw(command []byte, rest ...byte) []byte {
	return Sized(uint32(4+len(command)+len(rest)), uint32(len(command)), append(append([]byte(nil), command...), rest...)...)
}

// Sized is a frame whose sizes are as stated, whatever follows.
func Sized(total, command uint32, rest ...byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, total)
	b = binary.BigEndian.AppendUint32(b, command)
	return append(b, rest...)
}

// Frame is the whole frame.
func (p Payload) Frame() []byte { return Raw(Bytes(p.Command), p.Section()...) }

// Section is what follows the command: 0e02 and broker entry metadata, 0e01 and
// the CRC32-C of all that follows, metadata size, metadata, payload.
func (p Payload) Section() (b []byte) {
	if p.BrokerEntry != nil {
		b = sized([]byte{0x0e, 0x02}, Bytes(p.BrokerEntry))
	}
	if p.Metadata == nil {
		return b
	}
	covered := append(sized(nil, Bytes(p.Metadata)), p.Body...)
	if p.Sum != Absent {
		sum := crc32.Checksum(covered, crc32.MakeTable(crc32.Castagnoli))
		if p.Sum == Bad {
			sum ^= 0x01000001
		}
		b = binary.BigEndian.AppendUint32(append(b, 0x0e, 0x01), sum)
	}
	return append(b, covered...)
}

func sized(to, b []byte) []byte {
	return append(binary.BigEndian.AppendUint32(to, uint32(len(b))), b...)
}

// Single is one message of a batch. Its payload_size is set from Body.
type Single struct {
	Metadata *pb.SingleMessageMetadata
	Body     []byte
}

// Batch is the payload of a batch, not compressed: of each message the size of
// its metadata, the metadata, its body.
func Batch(messages ...Single) (b []byte) {
	for _, m := range messages {
		meta := &pb.SingleMessageMetadata{}
		if m.Metadata != nil {
			meta = proto.Clone(m.Metadata).(*pb.SingleMessageMetadata)
		}
		meta.PayloadSize = proto.Int32(int32(len(m.Body)))
		b = append(sized(b, Bytes(meta)), m.Body...)
	}
	return b
}
