package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/decode"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/session"
)

// dialogue is one connection, made by hand: each frame is a packet.
type dialogue struct {
	*wiremake.Talk
	tape *wiremake.Tape
}

// newTalk is a connection whose handshake has been done.
func newTalk() *dialogue {
	t := openTalk(wiremake.NewTape(), 40000)
	t.client(connect(nil))
	t.broker(connected(nil))
	return t
}

func openTalk(tape *wiremake.Tape, port uint16) *dialogue { return &dialogue{tape.Talk(port), tape} }

func (t *dialogue) client(frames ...any) { t.send(wiremake.Client, frames) }
func (t *dialogue) broker(frames ...any) { t.send(wiremake.Server, frames) }

func (t *dialogue) send(side int, frames []any) {
	for _, f := range frames {
		switch f := f.(type) {
		case *pb.BaseCommand:
			t.Send(side, wiremake.Frame(f))
		case wiremake.Payload:
			t.Send(side, f.Frame())
		case []byte:
			t.Send(side, f)
		default:
			panic(fmt.Sprintf("%T", f))
		}
	}
}

// listen gives what a session says of packets, but the frames, in few words.
// Frames are named by their type and their number among those of the type.
func listen(t testing.TB, o session.Options, tape *wiremake.Tape) (said []string, counters session.Counters) {
	t.Helper()
	names := map[string]string{}
	types := map[string]int{}
	s := session.New(o)
	a := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{}))
	d := decode.New(decode.Limits{}, nil)
	for e, err := range s.Events(d.Events(a.Events(wiremake.Overwriting(tape.Source())))) {
		if err != nil {
			t.Fatal(err)
		}
		switch e.Kind {
		case session.FrameSeen:
			name := e.Frame.TypeName()
			types[name]++
			names[place(e.Conn.ID, e.Direction, e.Offset)] = fmt.Sprintf("%s#%d", name, types[name])
		case session.ExchangeSeen:
			x := e.Exchange
			said = append(said, exchange(x, func(r *session.Ref) string { return names[place(e.Conn.ID, r.Direction, r.Offset)] }))
		case session.PermitsChanged:
			kind := "message"
			if e.Permits.Flow {
				kind = "flow"
			}
			known := ""
			if !e.Permits.BaselineKnown {
				known = " unknown"
			}
			said = append(said, fmt.Sprintf("permits c%d %s %d = %d%s", e.Permits.ConsumerID, kind, e.Permits.N, e.Permits.Outstanding, known))
		case session.ChunkedMessage:
			m := e.Message
			said = append(said, fmt.Sprintf("chunked %s of %d, %s, %q, missing %v, ids %s", e.Chunked.UUID, e.Chunked.Chunks, m.State, m.Payload,
				e.Chunked.Missing, ids(e.Chunked.IDs)))
		case session.MessageSeen:
			if e.Message.Acked {
				said = append(said, fmt.Sprintf("message %d is acknowledged", e.Message.Index))
			}
		}
	}
	return said, s.Counters()
}

func place(conn int, dir decode.Direction, offset int64) string { return fmt.Sprint(conn, dir, offset) }

func ids(list []session.MessageID) string {
	var out []string
	for _, id := range list {
		out = append(out, fmt.Sprintf("%d:%d", id.Ledger, id.Entry))
	}
	return strings.Join(out, " ")
}

// exchange is one in few words.
func exchange(x *session.Exchange, name func(*session.Ref) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", x.Kind, x.Result)
	if x.HasRequest {
		fmt.Fprintf(&b, " %s", name(&x.Request))
	}
	if x.HasResponse {
		fmt.Fprintf(&b, " > %s", name(&x.Response))
	}
	switch x.Kind {
	case session.Send:
		fmt.Fprintf(&b, " p%d s%d", x.ProducerID, x.SequenceID)
		if x.HasID {
			fmt.Fprintf(&b, " at %d:%d", x.ID.Ledger, x.ID.Entry)
		}
	case session.Ack:
		fmt.Fprintf(&b, " c%d %d:%d", x.ConsumerID, x.ID.Ledger, x.ID.Entry)
		if x.Messages > 0 {
			fmt.Fprintf(&b, " took %d", x.Messages)
		}
		if x.Left > 0 {
			fmt.Fprintf(&b, " left %d", x.Left)
		}
		for _, c := range x.Covers {
			fmt.Fprintf(&b, " covers %d:%d/%d", c.ID.Ledger, c.ID.Entry, c.Messages)
		}
	}
	if x.Error != "" {
		fmt.Fprintf(&b, " %s %q", x.Error, x.Text)
	}
	if x.Why != "" {
		fmt.Fprintf(&b, " (%s)", x.Why)
	}
	return b.String()
}

// only keeps what begins so.
func only(said []string, beginning ...string) []string {
	return slices.DeleteFunc(said, func(s string) bool {
		return !slices.ContainsFunc(beginning, func(b string) bool { return strings.HasPrefix(s, b) })
	})
}

func holds(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// Commands.

const aTopic = "persistent://a/b/c"

func num(n uint64) *uint64 { return &n }

func connect(flags *pb.FeatureFlags) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_CONNECT.Enum(), Connect: &pb.CommandConnect{ClientVersion: proto.String("x"),
		ProtocolVersion: proto.Int32(21), FeatureFlags: flags}}
}

func connected(flags *pb.FeatureFlags) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_CONNECTED.Enum(), Connected: &pb.CommandConnected{ServerVersion: proto.String("y"),
		ProtocolVersion: proto.Int32(21), FeatureFlags: flags}}
}

func producer(id, request uint64, topic, name string) *pb.BaseCommand {
	c := &pb.CommandProducer{Topic: &topic, ProducerId: &id, RequestId: &request}
	if name != "" {
		c.ProducerName = &name
	}
	return &pb.BaseCommand{Type: pb.BaseCommand_PRODUCER.Enum(), Producer: c}
}

func producerSuccess(request uint64, name string, ready *bool) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_PRODUCER_SUCCESS.Enum(),
		ProducerSuccess: &pb.CommandProducerSuccess{RequestId: &request, ProducerName: &name, ProducerReady: ready}}
}

func subscribe(id, request uint64, topic, subscription string) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_SUBSCRIBE.Enum(), Subscribe: &pb.CommandSubscribe{Topic: &topic, Subscription: &subscription,
		SubType: pb.CommandSubscribe_Shared.Enum(), ConsumerId: &id, RequestId: &request}}
}

func success(request uint64) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_SUCCESS.Enum(), Success: &pb.CommandSuccess{RequestId: &request}}
}

func failure(request uint64, code pb.ServerError, text string) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_ERROR.Enum(), Error: &pb.CommandError{RequestId: &request, Error: &code, Message: &text}}
}

func flow(consumer uint64, permits uint32) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_FLOW.Enum(), Flow: &pb.CommandFlow{ConsumerId: &consumer, MessagePermits: &permits}}
}

func ping() *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_PING.Enum(), Ping: &pb.CommandPing{}}
}
func pong() *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_PONG.Enum(), Pong: &pb.CommandPong{}}
}

func meta(sequence uint64) *pb.MessageMetadata {
	return &pb.MessageMetadata{ProducerName: proto.String("p"), SequenceId: &sequence, PublishTime: num(5)}
}

// batchMeta is the metadata of a batch of n.
func batchMeta(n int32) *pb.MessageMetadata {
	m := meta(0)
	m.NumMessagesInBatch = &n
	return m
}

// batch is a batch of n empty messages.
func batch(n int) []byte { return wiremake.Batch(make([]wiremake.Single, n)...) }

func send(producer, sequence uint64) wiremake.Payload {
	return wiremake.Payload{Command: &pb.BaseCommand{Type: pb.BaseCommand_SEND.Enum(), Send: &pb.CommandSend{ProducerId: &producer, SequenceId: &sequence}},
		Metadata: meta(sequence), Body: []byte("x")}
}

func receipt(producer, sequence, ledger, entry uint64) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_SEND_RECEIPT.Enum(), SendReceipt: &pb.CommandSendReceipt{ProducerId: &producer, SequenceId: &sequence,
		MessageId: &pb.MessageIdData{LedgerId: &ledger, EntryId: &entry}}}
}

func sendError(producer, sequence uint64, code pb.ServerError) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_SEND_ERROR.Enum(), SendError: &pb.CommandSendError{ProducerId: &producer, SequenceId: &sequence,
		Error: &code, Message: proto.String("no")}}
}

func id(ledger, entry uint64, set ...int64) *pb.MessageIdData {
	return &pb.MessageIdData{LedgerId: &ledger, EntryId: &entry, AckSet: set}
}

// message is the delivery of a batch of n; 0: of a message that is not batched.
func message(consumer, ledger, entry uint64, n int, set ...int64) wiremake.Payload {
	p := wiremake.Payload{Command: &pb.BaseCommand{Type: pb.BaseCommand_MESSAGE.Enum(),
		Message: &pb.CommandMessage{ConsumerId: &consumer, MessageId: id(ledger, entry), AckSet: set}}, Metadata: meta(0), Body: []byte("x")}
	if n > 0 {
		p.Metadata, p.Body = batchMeta(int32(n)), batch(n)
	}
	return p
}

func ack(consumer uint64, kind pb.CommandAck_AckType, ids ...*pb.MessageIdData) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_ACK.Enum(), Ack: &pb.CommandAck{ConsumerId: &consumer, AckType: &kind, MessageId: ids}}
}

const (
	individual = pb.CommandAck_Individual
	cumulative = pb.CommandAck_Cumulative
)
