package otlp

import (
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tracing "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/session"
)

// taken are spans, in order.
type taken []*tracing.Span

func (t *taken) Take(s *tracing.Span) { *t = append(*t, s) }

// spansOf are those of packets.
func spansOf(t *testing.T, l Limits, source func(func(capture.Packet, error) bool)) taken {
	t.Helper()
	all := taken{}
	r := New(l, &all)
	streams := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{})).Events(source)
	for e, err := range session.New(session.Options{NoSum: true}).Events(decode.New(decode.Limits{}, nil).Events(streams)) {
		if err != nil {
			t.Fatal(err)
		}
		r.Add(e)
	}
	return all
}

func attribute(s *tracing.Span, key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return strings.Trim(strings.TrimPrefix(strings.TrimPrefix(a.Value.String(), "string_value:"), "int_value:"), `"`)
		}
	}
	return ""
}

// Parts of traceparents: of two traces.
const (
	traceA, parentA = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	traceB, parentB = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
)

func properties(of ...string) (all []*pb.KeyValue) {
	for i := 0; i < len(of); i += 2 {
		all = append(all, &pb.KeyValue{Key: &of[i], Value: &of[i+1]})
	}
	return all
}

func single(of ...string) wiremake.Single {
	return wiremake.Single{Metadata: &pb.SingleMessageMetadata{Properties: properties(of...)}, Body: []byte("x")}
}

// entry is what a producer sends: with properties of its own, or as a batch.
type entry struct {
	properties []string
	batch      []wiremake.Single
}

func (n entry) payload(c *pb.BaseCommand) []byte {
	m := &pb.MessageMetadata{ProducerName: proto.String("p"), SequenceId: proto.Uint64(0), PublishTime: proto.Uint64(1), Properties: properties(n.properties...)}
	p := wiremake.Payload{Command: c, Metadata: m, Body: []byte("x")}
	if n.batch != nil {
		m.NumMessagesInBatch, p.Body = proto.Int32(int32(len(n.batch))), wiremake.Batch(n.batch...)
	}
	return p.Frame()
}

func command(t pb.BaseCommand_Type, set func(*pb.BaseCommand)) *pb.BaseCommand {
	c := &pb.BaseCommand{Type: &t}
	set(c)
	return c
}

// exchanged is a capture in which entries are sent, stored as 7:0, 7:1, ...,
// delivered and acknowledged.
func exchanged(entries ...entry) *wiremake.Tape {
	tape := wiremake.NewTape()
	c := tape.Talk(40000)
	say := func(side int, t pb.BaseCommand_Type, set func(*pb.BaseCommand)) {
		c.Send(side, wiremake.Frame(command(t, set)))
	}
	say(wiremake.Client, pb.BaseCommand_CONNECT, func(b *pb.BaseCommand) { b.Connect = &pb.CommandConnect{ClientVersion: proto.String("v")} })
	say(wiremake.Server, pb.BaseCommand_CONNECTED, func(b *pb.BaseCommand) { b.Connected = &pb.CommandConnected{ServerVersion: proto.String("v")} })
	say(wiremake.Client, pb.BaseCommand_PRODUCER, func(b *pb.BaseCommand) {
		b.Producer = &pb.CommandProducer{Topic: proto.String("t"), ProducerId: proto.Uint64(1), RequestId: proto.Uint64(5)}
	})
	say(wiremake.Server, pb.BaseCommand_ERROR, func(b *pb.BaseCommand) {
		b.Error = &pb.CommandError{RequestId: proto.Uint64(5), Error: pb.ServerError_ServiceNotReady.Enum(), Message: proto.String("later")}
	})
	say(wiremake.Client, pb.BaseCommand_SUBSCRIBE, func(b *pb.BaseCommand) {
		b.Subscribe = &pb.CommandSubscribe{Topic: proto.String("t"), Subscription: proto.String("s"), SubType: pb.CommandSubscribe_Shared.Enum(), ConsumerId: proto.Uint64(2), RequestId: proto.Uint64(6)}
	})
	for i, n := range entries {
		id := &pb.MessageIdData{LedgerId: proto.Uint64(7), EntryId: proto.Uint64(uint64(i))}
		c.Send(wiremake.Client, n.payload(command(pb.BaseCommand_SEND, func(b *pb.BaseCommand) {
			b.Send = &pb.CommandSend{ProducerId: proto.Uint64(1), SequenceId: proto.Uint64(uint64(i)), NumMessages: proto.Int32(int32(max(1, len(n.batch))))}
		})))
		say(wiremake.Server, pb.BaseCommand_SEND_RECEIPT, func(b *pb.BaseCommand) {
			b.SendReceipt = &pb.CommandSendReceipt{ProducerId: proto.Uint64(1), SequenceId: proto.Uint64(uint64(i)), MessageId: id}
		})
		c.Send(wiremake.Server, n.payload(command(pb.BaseCommand_MESSAGE, func(b *pb.BaseCommand) {
			b.Message = &pb.CommandMessage{ConsumerId: proto.Uint64(2), MessageId: id}
		})))
		say(wiremake.Client, pb.BaseCommand_ACK, func(b *pb.BaseCommand) {
			b.Ack = &pb.CommandAck{ConsumerId: proto.Uint64(2), AckType: pb.CommandAck_Individual.Enum(), MessageId: []*pb.MessageIdData{id}}
		})
	}
	return tape
}

// tree says what spans of a trace are called, each behind its parent.
func tree(all taken, trace string) string {
	words, names := []string{}, map[string]string{}
	for _, s := range all {
		names[string(s.SpanId)] = s.Name
	}
	for _, s := range all {
		if hex.EncodeToString(s.TraceId) != trace {
			continue
		}
		parent, known := names[string(s.ParentSpanId)]
		if !known {
			parent = hex.EncodeToString(s.ParentSpanId)
		}
		words = append(words, fmt.Sprintf("%s>%s %dms %s", parent, s.Name, (s.EndTimeUnixNano-s.StartTimeUnixNano)/1e6, attribute(s, attrMessageID)))
	}
	return strings.Join(words, ", ")
}

// What happens to an entry is in the traces that its messages name, once in each;
// in one of its own where none does; in none where that is not recorded.
func TestEntries(t *testing.T) {
	all := spansOf(t, Limits{}, exchanged(
		entry{batch: []wiremake.Single{
			single(traceparent, "00-"+traceA+"-"+parentA+"-01"), single("k", "v"),
			single(tracestate, "a=b", traceparent, "00-"+traceB+"-"+parentB+"-01"), single(traceparent, "00-"+traceA+"-"+parentA+"-01"),
		}},
		entry{},
		entry{properties: []string{traceparent, "00-" + traceA + "-" + parentA + "-00"}},
	).Source())
	r := Recorder{}
	own := r.entryTrace("t", session.MessageID{Ledger: 7, Entry: 1})
	for trace, want := range map[string]string{
		traceA:                     parentA + ">send 1ms 7:0, send>deliver 1ms 7:0, deliver>ack 1ms 7:0",
		traceB:                     parentB + ">send 1ms 7:0, send>deliver 1ms 7:0, deliver>ack 1ms 7:0",
		hex.EncodeToString(own[:]): ">send 1ms 7:1, send>deliver 1ms 7:1, deliver>ack 1ms 7:1",
	} {
		if got := tree(all, trace); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	for _, s := range all {
		if of := attribute(s, attrMessageID); of == "7:2" {
			t.Errorf("%s of a trace that is not recorded", s.Name)
		}
		if hex.EncodeToString(s.TraceId) == traceB && s.TraceState != "a=b" {
			t.Errorf("%s has the state %q", s.Name, s.TraceState)
		}
	}
	if i := slices.IndexFunc(all, func(s *tracing.Span) bool { return s.Name == "ack" }); attribute(all[i], attrSubscription) != "s" || attribute(all[i], attrMessages) != "4" {
		t.Error(all[i])
	}
}

// A request is a trace of its own, with what went wrong.
func TestRequests(t *testing.T) {
	all := spansOf(t, Limits{}, exchanged().Source())
	var said []string
	for _, s := range all {
		said = append(said, fmt.Sprintf("%s %s %s %s %q %s:%s-%s:%s", s.Name, attribute(s, attrRequestID), attribute(s, attrResult), attribute(s, attrError), s.Status.GetMessage(),
			attribute(s, attrClient), attribute(s, attrClientPort), attribute(s, attrServer), attribute(s, attrServerPort)))
	}
	const ends = " 10.0.0.1:40000-10.0.0.2:6650"
	want := []string{
		`connect  ok  ""` + ends,
		`request PRODUCER 5 error ServiceNotReady "later"` + ends,
		`request SUBSCRIBE 6 unanswered capture_end "capture_end"` + ends,
	}
	if !slices.Equal(said, want) {
		t.Errorf("got  %q\nwant %q", said, want)
	}
}

// Entries that are forgotten have spans all the same, without what came before.
func TestForgotten(t *testing.T) {
	tape := exchanged(entry{}, entry{})
	if all := spansOf(t, Limits{Entries: 1}, tape.Source()); len(all) != 3+6 {
		t.Errorf("%d spans", len(all))
	}
	k := newKept[int, string](2)
	for i := range 3 {
		k.put(i, "x")
	}
	if _, there := k.find(0); there || len(k.rows) != 2 {
		t.Errorf("kept %v", k.rows)
	}
	if _, there := k.take(1); !there || len(k.rows) != 1 {
		t.Errorf("kept %v", k.rows)
	}
}

// The spans of a capture are one for each exchange, and one more for each delivery;
// each has a parent that is there, or none, and all have ids of their own.
func TestCapture(t *testing.T) {
	source, err := capture.Open([]string{filepath.Join(testkit.Root(t), "testdata", "captures", "ack", "ack.pcap")}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	count, ids := map[string]int{}, map[string]*tracing.Span{}
	all := spansOf(t, Limits{}, source.Packets())
	for _, s := range all {
		count[strings.Fields(s.Name)[0]]++
		if ids[string(s.SpanId)] != nil {
			t.Errorf("%v and %v have the same id", s, ids[string(s.SpanId)])
		}
		ids[string(s.SpanId)] = s
	}
	for _, s := range all {
		if p := ids[string(s.ParentSpanId)]; s.ParentSpanId != nil && (p == nil || string(p.TraceId) != string(s.TraceId)) {
			t.Errorf("%v has the parent %v", s, p)
		}
	}
	want := map[string]int{"connect": 1, "request": 140, "send": 49, "deliver": 293, "ack": 243 + 11 + 37 + 2 + 3 + 11 + 17} // in the end the four cumulative ones
	if !maps.Equal(count, want) {
		t.Errorf("got %v, want %v", count, want)
	}
}
