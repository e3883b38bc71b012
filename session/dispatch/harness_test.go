package dispatch_test

import (
	"iter"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

// follow runs the stages up to a tracker over packets.
func follow(t *testing.T, packets iter.Seq2[capture.Packet, error], l dispatch.Limits, w dispatch.Watcher) *dispatch.Tracker {
	t.Helper()
	tracker := dispatch.New(l)
	tracker.Watch(w)
	streams := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{})).Events(packets)
	for e, err := range session.New(session.Options{NoSum: true}).Events(decode.New(decode.Limits{}, nil).Events(streams)) {
		if err != nil {
			t.Fatal(err)
		}
		tracker.Add(e)
	}
	tracker.Finish()
	return tracker
}

const (
	topic        = "persistent://lab/ns/t"
	subscription = "sub"
)

// scene is a hand-made capture of one broker or several.
type scene struct {
	*wiremake.Tape
	requests uint64
}

func newScene() *scene { return &scene{Tape: wiremake.NewTape()} }

func (s *scene) wait(d time.Duration) { s.Time += int64(d) }

// talk is a connection with a producer 1 and consumers.
type talk struct {
	*wiremake.Talk
	scene *scene
}

func (s *scene) conn(port uint16) *talk {
	c := &talk{s.Talk(port), s}
	c.Send(wiremake.Client, wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_CONNECT.Enum(), Connect: &pb.CommandConnect{
		ClientVersion: proto.String("lab 1"), ProtocolVersion: proto.Int32(21)}}))
	c.Send(wiremake.Server, wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_CONNECTED.Enum(), Connected: &pb.CommandConnected{
		ServerVersion: proto.String("lab 1"), ProtocolVersion: proto.Int32(21)}}))
	return c
}

// ask captures a request and its SUCCESS.
func (c *talk) ask(command func(request *uint64) *pb.BaseCommand) {
	c.scene.requests++
	r := proto.Uint64(c.scene.requests)
	c.Send(wiremake.Client, wiremake.Frame(command(r)))
	c.Send(wiremake.Server, wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_SUCCESS.Enum(), Success: &pb.CommandSuccess{RequestId: r}}))
}

func (c *talk) subscribe(consumer uint64, kind pb.CommandSubscribe_SubType, name string) {
	c.subscribeTo(subscription, consumer, kind, name)
}

func (c *talk) subscribeTo(subscription string, consumer uint64, kind pb.CommandSubscribe_SubType, name string) {
	c.ask(func(r *uint64) *pb.BaseCommand {
		return &pb.BaseCommand{Type: pb.BaseCommand_SUBSCRIBE.Enum(), Subscribe: &pb.CommandSubscribe{Topic: proto.String(topic), Subscription: proto.String(subscription),
			SubType: kind.Enum(), ConsumerId: proto.Uint64(consumer), RequestId: r, ConsumerName: proto.String(name)}}
	})
}

func (c *talk) close(consumer uint64) {
	c.ask(func(r *uint64) *pb.BaseCommand {
		return &pb.BaseCommand{Type: pb.BaseCommand_CLOSE_CONSUMER.Enum(), CloseConsumer: &pb.CommandCloseConsumer{ConsumerId: proto.Uint64(consumer), RequestId: r}}
	})
}

func (c *talk) producer() {
	c.Send(wiremake.Client, wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_PRODUCER.Enum(), Producer: &pb.CommandProducer{
		Topic: proto.String(topic), ProducerId: proto.Uint64(1), RequestId: proto.Uint64(1000), ProducerName: proto.String("p")}}))
	c.Send(wiremake.Server, wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_PRODUCER_SUCCESS.Enum(), ProducerSuccess: &pb.CommandProducerSuccess{
		RequestId: proto.Uint64(1000), ProducerName: proto.String("p"), ProducerReady: proto.Bool(true)}}))
}

func id(entry uint64) *pb.MessageIdData {
	return &pb.MessageIdData{LedgerId: proto.Uint64(7), EntryId: proto.Uint64(entry)}
}

func metadata(key string) *pb.MessageMetadata {
	m := &pb.MessageMetadata{ProducerName: proto.String("p"), SequenceId: proto.Uint64(0), PublishTime: proto.Uint64(wiremake.Start / 1e6)}
	if key != "" {
		m.PartitionKey = proto.String(key)
	}
	return m
}

// store captures SENDs with a key and their receipts.
func (c *talk) store(key string, entries ...uint64) {
	for _, e := range entries {
		c.Send(wiremake.Client, wiremake.Payload{Command: &pb.BaseCommand{Type: pb.BaseCommand_SEND.Enum(), Send: &pb.CommandSend{
			ProducerId: proto.Uint64(1), SequenceId: proto.Uint64(e)}}, Metadata: metadata(key), Body: []byte("hello")}.Frame())
		c.Send(wiremake.Server, wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_SEND_RECEIPT.Enum(), SendReceipt: &pb.CommandSendReceipt{
			ProducerId: proto.Uint64(1), SequenceId: proto.Uint64(e), MessageId: id(e)}}))
	}
}

func (c *talk) flow(consumer uint64, permits uint32) {
	c.Send(wiremake.Client, wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_FLOW.Enum(), Flow: &pb.CommandFlow{
		ConsumerId: proto.Uint64(consumer), MessagePermits: proto.Uint32(permits)}}))
}

// deliver captures MESSAGEs with a key.
func (c *talk) deliver(consumer uint64, key string, entries ...uint64) {
	for _, e := range entries {
		c.Send(wiremake.Server, wiremake.Payload{Command: &pb.BaseCommand{Type: pb.BaseCommand_MESSAGE.Enum(), Message: &pb.CommandMessage{
			ConsumerId: proto.Uint64(consumer), MessageId: id(e)}}, Metadata: metadata(key), Body: []byte("hello")}.Frame())
	}
}

func (c *talk) ack(consumer uint64, kind pb.CommandAck_AckType, entries ...uint64) {
	a := &pb.CommandAck{ConsumerId: proto.Uint64(consumer), AckType: kind.Enum()}
	for _, e := range entries {
		a.MessageId = append(a.MessageId, id(e))
	}
	c.Send(wiremake.Client, wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_ACK.Enum(), Ack: a}))
}

func (c *talk) active(consumer uint64, is bool) {
	c.Send(wiremake.Server, wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_ACTIVE_CONSUMER_CHANGE.Enum(),
		ActiveConsumerChange: &pb.CommandActiveConsumerChange{ConsumerId: proto.Uint64(consumer), IsActive: proto.Bool(is)}}))
}

// beat captures a PING and a PONG: time is seen to pass.
func (c *talk) beat() {
	c.Send(wiremake.Client, wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_PING.Enum(), Ping: &pb.CommandPing{}}))
	c.Send(wiremake.Server, wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_PONG.Enum(), Pong: &pb.CommandPong{}}))
}

const (
	individual = pb.CommandAck_Individual
	cumulative = pb.CommandAck_Cumulative
	exclusive  = pb.CommandSubscribe_Exclusive
	shared     = pb.CommandSubscribe_Shared
	failover   = pb.CommandSubscribe_Failover
	keyShared  = pb.CommandSubscribe_Key_Shared
)
