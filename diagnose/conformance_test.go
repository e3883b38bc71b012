package diagnose

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// oddity captures a frame of the client as it is, and a PING, so that what
// follows it confirms it.
func (c *talk) oddity(frame []byte) {
	c.Send(wiremake.Client, frame)
	c.client(ping())
	c.broker(pong())
}

func flowCommand(consumer uint64, permits uint32) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_FLOW.Enum(), Flow: &pb.CommandFlow{
		ConsumerId: proto.Uint64(consumer), MessagePermits: proto.Uint32(permits)}}
}

func TestMissingField(t *testing.T) {
	for _, x := range []struct {
		name  string
		frame []byte
		want  []string
	}{
		{"command", wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_FLOW.Enum(), Flow: &pb.CommandFlow{ConsumerId: proto.Uint64(1)}}),
			[]string{"warning FLOW without flow.messagePermits | client (lab-client 1.0, protocol version 21)"}},
		{"metadata", wiremake.Payload{Command: sendFrame(1, 0, "p", "").Command,
			Metadata: &pb.MessageMetadata{ProducerName: proto.String("p"), SequenceId: proto.Uint64(0)}}.Frame(),
			[]string{"warning SEND without metadata.publish_time"}},
		{"none", wiremake.Frame(flowCommand(1, 1)), nil},
		{"command that cannot be read", wiremake.Raw([]byte{8, 11, 0x5a, 2, 8, 1, 0xff}), nil}, // FLOW without permits, and a tag that is cut
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newScene(t)
			s.conn(4000).oddity(x.frame)
			s.finds(missingField, x.want...)
		})
	}
}

func TestWrongSubcommand(t *testing.T) {
	both := flowCommand(1, 1)
	both.Ack = &pb.CommandAck{ConsumerId: proto.Uint64(1), AckType: pb.CommandAck_Individual.Enum()}
	for _, x := range []struct {
		name    string
		command *pb.BaseCommand
		want    []string
	}{
		{"two", both, []string{"warning FLOW with the sub-command of another type"}},
		{"none", &pb.BaseCommand{Type: pb.BaseCommand_FLOW.Enum()}, []string{"warning FLOW without its sub-command"}},
		{"bare PING", &pb.BaseCommand{Type: pb.BaseCommand_PING.Enum()}, nil},
		{"one", flowCommand(1, 1), nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newScene(t)
			s.conn(4000).oddity(wiremake.Frame(x.command))
			s.finds(wrongSubcommand, x.want...)
		})
	}
}

func TestRequestIDReused(t *testing.T) {
	for _, answered := range []bool{false, true} {
		s := newScene(t)
		c := s.conn(4000)
		c.client(producerCommand(1, topic, "p", 7, 0))
		if answered {
			c.broker(producerSuccess(7, "p"))
		}
		c.client(producerCommand(2, topic, "q", 7, 0))
		want := []string{"warning Request id is used again | request id 7 | 5 PRODUCER, 6 PRODUCER"}
		if answered {
			want = nil
		}
		c.broker(producerSuccess(7, "q"))
		s.finds(idReused, want...)
	}
}

func TestHandleReused(t *testing.T) {
	for _, x := range []struct {
		name    string
		between func(c *talk)
		want    []string
	}{
		{"open", func(*talk) {}, []string{"warning Producer id is used again while it is open | id 1"}},
		{"closed by the broker", func(c *talk) {
			c.broker(&pb.BaseCommand{Type: pb.BaseCommand_CLOSE_PRODUCER.Enum(),
				CloseProducer: &pb.CommandCloseProducer{ProducerId: proto.Uint64(1), RequestId: proto.Uint64(1<<64 - 1)}})
		}, nil},
		{"closed by the client", func(c *talk) { c.closeProducer(1) }, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newScene(t)
			c := s.conn(4000)
			c.producer(1, "p")
			x.between(c)
			c.producer(1, "p")
			s.finds(idReused, x.want...)
		})
	}
	s := newScene(t)
	c := s.conn(4000)
	c.consumer(1, pb.CommandSubscribe_Shared, "a")
	c.consumer(1, pb.CommandSubscribe_Shared, "b")
	s.finds(idReused, "warning Consumer id is used again while it is open")
}

func (c *talk) closeProducer(id uint64) {
	c.client(&pb.BaseCommand{Type: pb.BaseCommand_CLOSE_PRODUCER.Enum(),
		CloseProducer: &pb.CommandCloseProducer{ProducerId: proto.Uint64(id), RequestId: c.next()}})
	c.broker(successCommand(c.request))
}

func TestUsedBeforeOpen(t *testing.T) {
	subscribe := &pb.BaseCommand{Type: pb.BaseCommand_SUBSCRIBE.Enum(), Subscribe: &pb.CommandSubscribe{Topic: proto.String(topic),
		Subscription: proto.String(subscription), SubType: pb.CommandSubscribe_Shared.Enum(), ConsumerId: proto.Uint64(2), RequestId: proto.Uint64(1)}}
	for _, x := range []struct {
		name string
		play func(c *talk)
		want []string
	}{
		{"SEND before the answer", func(c *talk) {
			c.client(producerCommand(1, topic, "p", 1, 0))
			c.publish(1, 0, "p")
			c.broker(producerSuccess(1, "p"))
		}, []string{"warning SEND before the answer to its PRODUCER"}},
		{"producer_ready false", func(c *talk) {
			c.client(producerCommand(1, topic, "p", 1, 0))
			waits := producerSuccess(1, "p")
			waits.ProducerSuccess.ProducerReady = proto.Bool(false)
			c.broker(waits)
			c.publish(1, 0, "p")
		}, []string{"warning SEND before the answer to its PRODUCER"}},
		{"SEND after the answer", func(c *talk) {
			c.producer(1, "p")
			c.publish(1, 0, "p")
		}, nil},
		{"SEND without a PRODUCER", func(c *talk) { c.publish(1, 0, "p") }, []string{"warning SEND without a PRODUCER"}},
		{"SEND after the close", func(c *talk) {
			c.producer(1, "p")
			c.closeProducer(1)
			c.publish(1, 0, "p")
		}, []string{"warning SEND after the end of what its PRODUCER opened"}},
		{"SEND on its way when the broker closed", func(c *talk) {
			c.producer(1, "p")
			c.broker(&pb.BaseCommand{Type: pb.BaseCommand_CLOSE_PRODUCER.Enum(),
				CloseProducer: &pb.CommandCloseProducer{ProducerId: proto.Uint64(1), RequestId: proto.Uint64(1<<64 - 1)}})
			c.publish(1, 0, "p")
		}, nil},
		{"FLOW and ACK before the answer", func(c *talk) {
			c.client(subscribe)
			c.flow(2, 10)
			c.ack(2, 1)
			c.broker(successCommand(1))
		}, []string{"warning FLOW before the answer to its SUBSCRIBE", "warning ACK before the answer to its SUBSCRIBE"}},
		{"FLOW after the answer", func(c *talk) {
			c.client(subscribe)
			c.broker(successCommand(1))
			c.flow(2, 10)
		}, nil},
		{"FLOW after a refusal", func(c *talk) {
			c.client(subscribe)
			c.broker(errorCommand(1, pb.ServerError_ConsumerBusy, "taken"))
			c.flow(2, 10)
		}, []string{"info FLOW after the end of what its SUBSCRIBE opened"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newScene(t)
			x.play(s.conn(4000))
			s.finds(usedBeforeOpen, x.want...)
		})
	}
}

func TestUsedBeforeOpenMidway(t *testing.T) {
	s := newScene(t)
	c := &talk{Talk: s.tape.Midway(4000), scene: s}
	c.publish(1, 0, "p")
	c.publish(1, 1, "p")
	s.finds(usedBeforeOpen)
}

// A producer that the session has let go is not one that was never opened.
func TestUsedAfterForgotten(t *testing.T) {
	s := newScene(t)
	c := s.conn(4000)
	for id := range uint64(session.DefaultProducersPerConnection + 1) {
		c.producer(id, "p")
	}
	c.publish(0, 0, "p")
	s.finds(usedBeforeOpen)
}

func TestChecksumAbsent(t *testing.T) {
	for _, x := range []struct {
		name    string
		version int32
		sum     wiremake.Sum
		want    []string
	}{
		{"absent", 6, wiremake.Absent, []string{"info The client (lab-client 1.0, protocol version 6) sent a SEND without a checksum"}},
		{"old client", 5, wiremake.Absent, nil},
		{"there", 6, wiremake.Right, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newScene(t)
			c := s.tcp(4000)
			c.client(connectCommand(x.version))
			c.broker(connectedCommand(21))
			p := sendFrame(1, 0, "p", "hello")
			p.Sum = x.sum
			c.Send(wiremake.Client, p.Frame())
			s.finds(checksumAbsent, x.want...)
		})
	}
}

func TestMessageCountMismatch(t *testing.T) {
	for _, x := range []struct {
		name           string
		stated, batch  int32
		markerOfBroker bool
		want           []string
	}{
		{"more in the metadata", 1, 2, false, []string{"warning num_messages 1, but the metadata says 2"}},
		{"more in the command", 3, 0, false, []string{"warning num_messages 3, but the metadata says 1"}},
		{"alike", 2, 2, false, nil},
		{"marker", 3, 0, true, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newScene(t)
			p := sendFrame(1, 0, "p", "hello")
			p.Command.Send.NumMessages = proto.Int32(x.stated)
			if x.batch > 0 {
				p.Metadata.NumMessagesInBatch = proto.Int32(x.batch)
			}
			if x.markerOfBroker {
				p.Metadata.MarkerType = proto.Int32(10)
			}
			s.conn(4000).Send(wiremake.Client, p.Frame())
			s.finds(messageCountMismatch, x.want...)
		})
	}
}

func TestUnknownNotTolerated(t *testing.T) {
	unknown := &pb.BaseCommand{Type: pb.BaseCommand_Type(120).Enum()}
	odd := &pb.BaseCommand{Type: pb.BaseCommand_ACK.Enum(), Ack: &pb.CommandAck{ConsumerId: proto.Uint64(1),
		AckType: pb.CommandAck_AckType(9).Enum()}}
	for _, x := range []struct {
		name string
		play func(c *talk)
		want []string
	}{
		{"command", func(c *talk) {
			c.client(unknown)
			c.FIN(wiremake.Server)
		}, []string{"warning broker (lab-broker 1.0, protocol version 21) closed the connection (FIN) | UNKNOWN(120)"}},
		{"value", func(c *talk) {
			c.client(odd)
			c.RST(wiremake.Server)
		}, []string{"warning (RST) | ACK with ack.ack_type=9"}},
		{"the other side closes", func(c *talk) {
			c.client(unknown)
			c.FIN(wiremake.Client)
		}, nil},
		{"the receiver speaks on", func(c *talk) {
			c.client(unknown)
			c.broker(ping())
			c.FIN(wiremake.Server)
		}, nil},
		{"later", func(c *talk) {
			c.client(unknown)
			c.scene.wait(2 * time.Second)
			c.FIN(wiremake.Server)
		}, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newScene(t)
			x.play(s.conn(4000))
			s.finds(unknownNotTolerated, x.want...)
		})
	}
}

func TestFlowInvalid(t *testing.T) {
	for permits, want := range map[uint32][]string{
		0: {"warning granted 0 permits"}, 1: nil, 1<<31 - 1: nil, 1 << 31: {"warning granted 2147483648 permits"},
	} {
		s := newScene(t)
		c := s.conn(4000)
		c.consumer(1, pb.CommandSubscribe_Shared, "c")
		c.flow(1, permits)
		s.finds(flowInvalid, want...)
	}
}

func TestFrameLayout(t *testing.T) {
	whole := sendFrame(1, 0, "p", "hello")
	section := whole.Section()
	for _, x := range []struct {
		name  string
		frame []byte
		want  []string
	}{
		{"bytes after the command", wiremake.Raw(wiremake.Bytes(flowCommand(1, 1)), 0), []string{"warning FLOW with bytes after the command"}},
		{"payload behind FLOW", wiremake.Raw(wiremake.Bytes(flowCommand(1, 1)), section...), []string{"warning FLOW with bytes after the command"}},
		{"no payload part", wiremake.Frame(whole.Command), []string{"warning SEND without the payload part"}},
		{"payload part cut", wiremake.Raw(wiremake.Bytes(whole.Command), section[:8]...), []string{"warning SEND with a broken payload part (metadata_size_cut)"}},
		{"SEND", whole.Frame(), nil},
		{"FLOW", wiremake.Frame(flowCommand(1, 1)), nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newScene(t)
			s.conn(4000).oddity(x.frame)
			s.finds(frameLayout, x.want...)
		})
	}
}

func TestFrameSizeNegative(t *testing.T) {
	for _, x := range []struct {
		name           string
		total, command uint32
		want           []string
	}{
		{"total", 1 << 31, 10, []string{"error total size of a frame is 2147483648 (0x80000000)"}},
		{"command", 20, 1<<32 - 1, []string{"error command size of a frame is 4294967295"}},
		{"large", 1<<31 - 1, 10, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newScene(t)
			c := s.conn(4000)
			c.client(ping())
			c.Send(wiremake.Client, wiremake.Sized(x.total, x.command, wiremake.Bytes(flowCommand(1, 1))...))
			c.RST(wiremake.Server)
			s.finds(frameSizeNegative, x.want...)
		})
	}
}
