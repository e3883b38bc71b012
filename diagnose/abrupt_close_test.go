package diagnose

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
)

func closeProducer(id, request uint64) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_CLOSE_PRODUCER.Enum(), CloseProducer: &pb.CommandCloseProducer{ProducerId: proto.Uint64(id), RequestId: proto.Uint64(request)}}
}

func TestAbruptClose(t *testing.T) {
	t.Run("SENDs in flight", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.publish(1, 0, "p")
		c.publish(1, 1, "p")
		c.RST(wiremake.Server)
		s.finds(abruptClose, "warning "+topic+" | the broker closed the connection (RST) with 2 SENDs in flight, the oldest for 2 ms | Open on it: 1 producer.")
	})
	t.Run("request in flight", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.client(producerCommand(1, topic, "p", *c.next(), 0))
		c.FIN(wiremake.Client)
		s.finds(abruptClose, "warning the client closed the connection (FIN) with 1 PRODUCER in flight")
	})
	t.Run("close in flight", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.client(closeProducer(1, *c.next()))
		c.FIN(wiremake.Client)
		s.finds(abruptClose)
	})
	t.Run("reset with a producer open", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.RST(wiremake.Client)
		s.finds(abruptClose, "warning reset with producers or consumers open | nothing in flight")
	})
	t.Run("closed with a producer open", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.Close()
		s.finds(abruptClose, "info closed with producers or consumers open")
	})
	t.Run("nothing open", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.client(closeProducer(1, *c.next()))
		c.broker(successCommand(c.request))
		c.RST(wiremake.Client)
		s.finds(abruptClose)
	})
	t.Run("end of the capture", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.publish(1, 0, "p")
		s.finds(abruptClose)
	})
	t.Run("answer lost by the capture", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.publish(1, 0, "p")
		c.Lose(wiremake.Server, 40)
		c.Close()
		s.finds(abruptClose)
	})
}
