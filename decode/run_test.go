package decode

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
)

const (
	client = wiremake.Client
	server = wiremake.Server
)

// frameCopy is what a test keeps of a frame.
type frameCopy struct {
	Type                  int32
	Name                  string
	Direction             Direction
	Offset, Size, Have    int64
	Incomplete, Resync    bool
	First, Last           uint64 // packets
	Checksum              Checksum
	Stored, Computed      uint32
	Command, Broker, Meta string // JSON
	HasBroker, HasMeta    bool
	Payload               []byte
	Fault                 string
	Issues                []string
	Messages              []messageCopy
	MessageCount          int
	Batched               bool
}

// messageCopy is what a test keeps of a message.
type messageCopy struct {
	State     State
	Fault     string
	Index     int
	BatchSize int
	Batched   bool
	Payload   string
	Single    string // JSON
	Variant   string
	HasSum    bool
	Sum       string
}

// seen is all that a decoder said.
type seen struct {
	frames   []frameCopy
	events   []string // all but frames, in few words
	conns    []*Conn
	counters Counters
}

// decodeAll runs packets through reassembly and decoder.
func decodeAll(t testing.TB, l Limits, ports []uint16, packets iter.Seq2[capture.Packet, error]) *seen {
	t.Helper()
	out := &seen{}
	d := New(l, ports)
	a := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{}))
	var u Unpacker
	for e, err := range d.Events(a.Events(wiremake.Overwriting(packets))) {
		if err != nil {
			t.Fatal(err)
		}
		out.take(&u, e)
	}
	out.counters = d.Counters()
	return out
}

func (s *seen) take(u *Unpacker, e *Event) {
	switch e.Kind {
	case FrameSeen:
		s.frames = append(s.frames, copyOf(u, e.Frame))
	case ProxySeen:
		p := e.Proxy
		text := fmt.Sprintf("%s proxy v%d %s %v > %v", e.Direction, p.Version, p.Command, p.Source, p.Destination)
		for _, v := range p.TLVs {
			text += fmt.Sprintf(" %d=%q", v.Type, v.Value)
		}
		s.events = append(s.events, text)
	case GapSeen:
		s.events = append(s.events, fmt.Sprintf("%s gap %d at %d", e.Direction, e.Bytes, e.Offset))
	case BytesSkipped:
		s.events = append(s.events, fmt.Sprintf("%s skipped %d at %d", e.Direction, e.Bytes, e.Offset))
	case ConflictSeen:
		s.events = append(s.events, fmt.Sprintf("%s conflict %d at %d", e.Direction, e.Bytes, e.Offset))
	case ConnectionEnd:
		s.conns = append(s.conns, e.Conn)
		s.events = append(s.events, fmt.Sprintf("end %s %s", e.Conn.Protocol, e.Conn.RoleFrom))
	}
}

func copyOf(u *Unpacker, f *Frame) frameCopy {
	c := frameCopy{Type: f.Type, Name: f.TypeName(), Direction: f.Direction, Offset: f.Offset, Size: f.Size, Have: f.Have,
		Incomplete: f.Incomplete, Resync: f.Resync, First: f.First.Packet, Last: f.Last.Packet,
		Checksum: f.Checksum, Stored: f.StoredChecksum, Computed: f.ComputedChecksum,
		HasBroker: f.HasBrokerEntry, HasMeta: f.HasMetadata, Payload: slices.Clone(f.Payload), Fault: f.PayloadFault,
		MessageCount: f.MessageCount(), Batched: f.Batched()}
	if f.Sub >= 0 {
		c.Command = string(f.Base.AppendJSON(nil, f.Sub, nil))
	}
	if f.HasBrokerEntry {
		c.Broker = string(f.BrokerEntry.AppendJSON(nil, wire.Top, nil))
	}
	if f.HasMetadata {
		c.Meta = string(f.Metadata.AppendJSON(nil, wire.Top, nil))
	}
	f.EachIssue(func(text string) { c.Issues = append(c.Issues, text) })
	if f.Command != nil && f.Command.Payload {
		u.Frame(f, func(m *Message) { c.Messages = append(c.Messages, copyOfMessage(m)) })
	}
	return c
}

func copyOfMessage(m *Message) messageCopy {
	c := messageCopy{State: m.State, Fault: m.Fault, Index: m.Index, BatchSize: m.BatchSize, Batched: m.Batched,
		Payload: string(m.Payload), Variant: m.Variant, HasSum: m.HasSum}
	if m.Single != nil {
		c.Single = string(m.Single.AppendJSON(nil, wire.Top, nil))
	}
	if m.HasSum {
		c.Sum = fmt.Sprintf("%x", m.Sum)
	}
	return c
}

// names are the types of frames, with what is special about each.
func (s *seen) names() (out []string) {
	for i := range s.frames {
		f := &s.frames[i]
		name := f.Name
		if f.Incomplete {
			name += fmt.Sprintf(" have %d", f.Have)
		}
		if f.Resync {
			name += " resync"
		}
		out = append(out, name)
	}
	return out
}

// talk is a connection on a new tape.
func talk() (*wiremake.Tape, *wiremake.Talk) {
	t := wiremake.NewTape()
	return t, t.Talk(40000)
}

func holds(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// Commands that the tests use.

func ptr[T any](v T) *T { return &v }

func connect() *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_CONNECT.Enum(), Connect: &pb.CommandConnect{ClientVersion: ptr("test"), ProtocolVersion: ptr(int32(21))}}
}

func connected(largest int32) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_CONNECTED.Enum(), Connected: &pb.CommandConnected{ServerVersion: ptr("test"),
		ProtocolVersion: ptr(int32(21)), MaxMessageSize: ptr(largest)}}
}

func flow(permits uint32) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_FLOW.Enum(), Flow: &pb.CommandFlow{ConsumerId: ptr(uint64(1)), MessagePermits: ptr(permits)}}
}

func ping() *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_PING.Enum(), Ping: &pb.CommandPing{}}
}

// send is a SEND of a message that is not batched.
func send(sequence uint64, body string) wiremake.Payload {
	return wiremake.Payload{
		Command: &pb.BaseCommand{Type: pb.BaseCommand_SEND.Enum(),
			Send: &pb.CommandSend{ProducerId: ptr(uint64(1)), SequenceId: ptr(sequence)}},
		Metadata: metadata(sequence), Body: []byte(body)}
}

func metadata(sequence uint64) *pb.MessageMetadata {
	return &pb.MessageMetadata{ProducerName: ptr("p"), SequenceId: ptr(sequence), PublishTime: ptr(uint64(1700000000000))}
}

// message is a MESSAGE of the entry.
func message(entry uint64, m *pb.MessageMetadata, body []byte) wiremake.Payload {
	return wiremake.Payload{
		Command: &pb.BaseCommand{Type: pb.BaseCommand_MESSAGE.Enum(), Message: &pb.CommandMessage{ConsumerId: ptr(uint64(1)),
			MessageId: &pb.MessageIdData{LedgerId: ptr(uint64(7)), EntryId: ptr(entry)}}},
		Metadata: m, Body: body}
}
