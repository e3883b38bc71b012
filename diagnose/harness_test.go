package diagnose

import (
	"fmt"
	"iter"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/session"
)

// diagnosePackets runs all stages over packets and gives the findings of the
// rules, of all rules if none is named.
func diagnosePackets(t *testing.T, packets iter.Seq2[capture.Packet, error], secrets decrypt.Options, th Thresholds, rules ...*Rule) []*Finding {
	t.Helper()
	if len(rules) == 0 {
		rules = Rules
	}
	return feedPackets(t, New(Options{Rules: rules, Thresholds: th}), packets, secrets)
}

// feedPackets runs all stages over packets and gives the findings of an engine.
func feedPackets(t *testing.T, engine *Engine, packets iter.Seq2[capture.Packet, error], secrets decrypt.Options) []*Finding {
	t.Helper()
	tls, err := decrypt.New(secrets)
	if err != nil {
		t.Fatal(err)
	}
	streams := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{})).Events(packets)
	frames := decode.New(decode.Limits{}, nil).Events(tls.Events(streams))
	for e, err := range session.New(session.Options{NoSum: true}).Events(frames) {
		if err != nil {
			t.Fatal(err)
		}
		engine.Add(e)
	}
	return engine.Finish()
}

// scene is a hand-made capture. Each packet comes a millisecond after the one
// before, and after what wait adds.
type scene struct {
	t          *testing.T
	tape       *wiremake.Tape
	thresholds Thresholds
}

func newScene(t *testing.T) *scene { return &scene{t: t, tape: wiremake.NewTape()} }

// wait lets time pass until the next packet.
func (s *scene) wait(d time.Duration) { s.tape.Time += int64(d) }

// findings runs rules over the scene.
func (s *scene) findings(rules ...*Rule) []*Finding {
	s.t.Helper()
	return diagnosePackets(s.t, wiremake.Overwriting(s.tape.Source()), decrypt.Options{}, s.thresholds, rules...)
}

// finds holds the findings of one rule against those wanted, most severe
// first: the severity, then words that its title, detail or subject must hold,
// set off by " | ".
func (s *scene) finds(rule *Rule, want ...string) {
	s.t.Helper()
	got := s.findings(rule)
	if len(got) != len(want) {
		s.t.Errorf("%d findings, expected %d:\n%s", len(got), len(want), sayAll(got))
		return
	}
	for i, f := range got {
		said := say(f)
		severity, words, _ := strings.Cut(want[i], " ")
		if f.Severity.String() != severity {
			s.t.Errorf("expected severity %s:\n%s", severity, said)
		}
		for _, w := range strings.Split(words, " | ") {
			if !strings.Contains(said, w) {
				s.t.Errorf("expected %q in:\n%s", w, said)
			}
		}
		if len(f.Evidence) == 0 || f.Detail == "" || f.Advice == "" {
			s.t.Errorf("without evidence, detail or advice:\n%s", said)
		}
	}
}

// say is a finding on one line.
func say(f *Finding) string {
	b := &f.Subject
	parts := []string{f.Rule.Name, f.Severity.String()}
	for _, p := range []string{b.Conn, b.Topic, b.Subscription, b.Producer, b.Consumer, b.MessageID} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if f.Count > 1 {
		parts = append(parts, fmt.Sprintf("x%d", f.Count))
	}
	where := []string{}
	for _, e := range f.Evidence {
		where = append(where, fmt.Sprintf("%d %s", e.Packet, e.Type))
	}
	return strings.Join(parts, " ") + ": " + f.Title + ": " + f.Detail + " [" + strings.Join(where, ", ") + "]"
}

func sayAll(fs []*Finding) string {
	lines := []string{}
	for _, f := range fs {
		lines = append(lines, say(f))
	}
	return strings.Join(lines, "\n")
}

// talk is a connection of a scene.
type talk struct {
	*wiremake.Talk
	scene   *scene
	request uint64 // last request_id
}

// tcp opens a TCP connection of client 10.0.0.1 with the port.
func (s *scene) tcp(port uint16) *talk { return &talk{Talk: s.tape.Talk(port), scene: s} }

// to opens a TCP connection to another server.
func (s *scene) to(server string, port uint16) *talk {
	c := s.tape.Midway(port)
	c.Ends[wiremake.Server] = netip.MustParseAddrPort(server)
	c.SYN(wiremake.Client, 1000)
	c.SYN(wiremake.Server, 9000)
	return &talk{Talk: c, scene: s}
}

// conn opens a connection and exchanges CONNECT and CONNECTED of version 21.
func (s *scene) conn(port uint16) *talk {
	c := s.tcp(port)
	c.connect()
	return c
}

func (c *talk) connect() {
	c.client(connectCommand(21))
	c.broker(connectedCommand(21))
}

func connectCommand(version int32) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_CONNECT.Enum(), Connect: &pb.CommandConnect{
		ClientVersion: proto.String("lab-client 1.0"), ProtocolVersion: proto.Int32(version),
		FeatureFlags: &pb.FeatureFlags{SupportsAuthRefresh: proto.Bool(true)}}}
}

func connectedCommand(version int32) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_CONNECTED.Enum(), Connected: &pb.CommandConnected{
		ServerVersion: proto.String("lab-broker 1.0"), ProtocolVersion: proto.Int32(version)}}
}

// client captures commands of the client, each in a packet of its own.
func (c *talk) client(commands ...*pb.BaseCommand) {
	for _, x := range commands {
		c.Send(wiremake.Client, wiremake.Frame(x))
	}
}

// broker captures commands of the broker, each in a packet of its own.
func (c *talk) broker(commands ...*pb.BaseCommand) {
	for _, x := range commands {
		c.Send(wiremake.Server, wiremake.Frame(x))
	}
}

func (c *talk) next() *uint64 {
	c.request++
	return proto.Uint64(c.request)
}

const (
	topic        = "persistent://lab/ns/t"
	subscription = "sub"
)

// lookup asks for the topic's broker; the answer is Connect to the broker of
// the talks.
func (c *talk) lookup(topic string) {
	id := c.next()
	c.client(&pb.BaseCommand{Type: pb.BaseCommand_LOOKUP.Enum(), LookupTopic: &pb.CommandLookupTopic{
		Topic: proto.String(topic), RequestId: id}})
	c.broker(&pb.BaseCommand{Type: pb.BaseCommand_LOOKUP_RESPONSE.Enum(), LookupTopicResponse: &pb.CommandLookupTopicResponse{
		BrokerServiceUrl: proto.String("pulsar://10.0.0.2:6650"), Response: pb.CommandLookupTopicResponse_Connect.Enum(),
		RequestId: id, Authoritative: proto.Bool(true)}})
}

func producerCommand(id uint64, topic, name string, request, epoch uint64) *pb.BaseCommand {
	p := &pb.CommandProducer{Topic: proto.String(topic), ProducerId: proto.Uint64(id), RequestId: proto.Uint64(request)}
	if name != "" {
		p.ProducerName = proto.String(name)
	}
	if epoch > 0 {
		p.Epoch = proto.Uint64(epoch)
	}
	return &pb.BaseCommand{Type: pb.BaseCommand_PRODUCER.Enum(), Producer: p}
}

func producerSuccess(request uint64, name string) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_PRODUCER_SUCCESS.Enum(), ProducerSuccess: &pb.CommandProducerSuccess{
		RequestId: proto.Uint64(request), ProducerName: proto.String(name), LastSequenceId: proto.Int64(-1), ProducerReady: proto.Bool(true)}}
}

// producer opens a producer of the topic.
func (c *talk) producer(id uint64, name string) {
	r := *c.next()
	c.client(producerCommand(id, topic, name, r, 0))
	c.broker(producerSuccess(r, name))
}

// errorCommand answers a request with an error.
func errorCommand(request uint64, code pb.ServerError, text string) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_ERROR.Enum(), Error: &pb.CommandError{
		RequestId: proto.Uint64(request), Error: code.Enum(), Message: proto.String(text)}}
}

func (c *talk) refuse(code pb.ServerError, text string) {
	c.broker(errorCommand(c.request, code, text))
}

// sendFrame is a SEND with its metadata.
func sendFrame(producer, sequence uint64, name, body string) wiremake.Payload {
	return wiremake.Payload{
		Command: &pb.BaseCommand{Type: pb.BaseCommand_SEND.Enum(), Send: &pb.CommandSend{
			ProducerId: proto.Uint64(producer), SequenceId: proto.Uint64(sequence), NumMessages: proto.Int32(1)}},
		Metadata: &pb.MessageMetadata{ProducerName: proto.String(name), SequenceId: proto.Uint64(sequence),
			PublishTime: proto.Uint64(wiremake.Start / 1e6)},
		Body: []byte(body),
	}
}

// publish captures a SEND.
func (c *talk) publish(producer, sequence uint64, name string) {
	c.Send(wiremake.Client, sendFrame(producer, sequence, name, "hello").Frame())
}

// receipt captures a SEND_RECEIPT for an entry of ledger 7.
func (c *talk) receipt(producer, sequence, entry uint64) {
	c.broker(&pb.BaseCommand{Type: pb.BaseCommand_SEND_RECEIPT.Enum(), SendReceipt: &pb.CommandSendReceipt{
		ProducerId: proto.Uint64(producer), SequenceId: proto.Uint64(sequence), HighestSequenceId: proto.Uint64(1<<64 - 1),
		MessageId: id(entry)}})
}

// id is an entry of ledger 7.
func id(entry uint64) *pb.MessageIdData {
	return &pb.MessageIdData{LedgerId: proto.Uint64(7), EntryId: proto.Uint64(entry)}
}

// consumer subscribes to the topic.
func (c *talk) consumer(id uint64, kind pb.CommandSubscribe_SubType, name string) {
	r := c.next()
	c.client(&pb.BaseCommand{Type: pb.BaseCommand_SUBSCRIBE.Enum(), Subscribe: &pb.CommandSubscribe{
		Topic: proto.String(topic), Subscription: proto.String(subscription), SubType: kind.Enum(), ConsumerId: proto.Uint64(id),
		RequestId: r, ConsumerName: proto.String(name)}})
	c.broker(successCommand(*r))
}

func successCommand(request uint64) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_SUCCESS.Enum(), Success: &pb.CommandSuccess{RequestId: proto.Uint64(request)}}
}

func (c *talk) flow(consumer uint64, permits uint32) {
	c.client(&pb.BaseCommand{Type: pb.BaseCommand_FLOW.Enum(), Flow: &pb.CommandFlow{
		ConsumerId: proto.Uint64(consumer), MessagePermits: proto.Uint32(permits)}})
}

// messageFrame is the delivery of an entry of ledger 7.
func messageFrame(consumer, entry uint64, redelivered uint32) wiremake.Payload {
	return wiremake.Payload{
		Command: &pb.BaseCommand{Type: pb.BaseCommand_MESSAGE.Enum(), Message: &pb.CommandMessage{
			ConsumerId: proto.Uint64(consumer), MessageId: id(entry), RedeliveryCount: proto.Uint32(redelivered)}},
		Metadata: &pb.MessageMetadata{ProducerName: proto.String("p"), SequenceId: proto.Uint64(entry),
			PublishTime: proto.Uint64(wiremake.Start / 1e6)},
		Body: []byte("hello"),
	}
}

// deliver captures a MESSAGE.
func (c *talk) deliver(consumer, entry uint64, redelivered uint32) {
	c.Send(wiremake.Server, messageFrame(consumer, entry, redelivered).Frame())
}

// ack captures an individual ACK of entries.
func (c *talk) ack(consumer uint64, entries ...uint64) {
	a := &pb.CommandAck{ConsumerId: proto.Uint64(consumer), AckType: pb.CommandAck_Individual.Enum()}
	for _, e := range entries {
		a.MessageId = append(a.MessageId, id(e))
	}
	c.client(&pb.BaseCommand{Type: pb.BaseCommand_ACK.Enum(), Ack: a})
}

func ping() *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_PING.Enum(), Ping: &pb.CommandPing{}}
}

func pong() *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_PONG.Enum(), Pong: &pb.CommandPong{}}
}

// TestHealthyScene: an orderly session of hand-made frames gives no finding of
// any rule.
func TestHealthyScene(t *testing.T) {
	s := newScene(t)
	c := s.conn(4000)
	c.lookup(topic)
	c.producer(1, "p")
	c.consumer(2, pb.CommandSubscribe_Shared, "c")
	c.flow(2, 1000)
	for n := range uint64(20) {
		c.publish(1, n, "p")
		c.receipt(1, n, n)
		c.deliver(2, n, 0)
		c.ack(2, n)
	}
	c.client(ping())
	c.broker(pong())
	c.broker(ping())
	c.client(pong())
	c.client(&pb.BaseCommand{Type: pb.BaseCommand_CLOSE_PRODUCER.Enum(),
		CloseProducer: &pb.CommandCloseProducer{ProducerId: proto.Uint64(1), RequestId: c.next()}})
	c.broker(successCommand(c.request))
	c.client(&pb.BaseCommand{Type: pb.BaseCommand_CLOSE_CONSUMER.Enum(),
		CloseConsumer: &pb.CommandCloseConsumer{ConsumerId: proto.Uint64(2), RequestId: c.next()}})
	c.broker(successCommand(c.request))
	c.Close()
	if got := s.findings(); len(got) > 0 {
		t.Errorf("expected none:\n%s", sayAll(got))
	}
}

// TestRulesAreExplained: each rule says what --explain prints, under a name of
// its own.
func TestRulesAreExplained(t *testing.T) {
	names := []string{}
	for _, r := range Rules {
		if r.Name == "" || r.Title == "" || r.Meaning == "" || r.Advice == "" || r.Blind == "" || r.Start == nil && r.Follow == nil {
			t.Errorf("%s lacks something", r.Name)
		}
		if r.Start != nil && len(r.Frames)+len(r.Exchanges)+len(r.Kinds) == 0 {
			t.Errorf("%s looks at nothing", r.Name)
		}
		if slices.Contains(names, r.Name) {
			t.Errorf("two rules are called %s", r.Name)
		}
		names = append(names, r.Name)
	}
}

func addrPort(s string) netip.AddrPort { return netip.MustParseAddrPort(s) }
