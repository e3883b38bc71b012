package diagnose

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
)

func sendError(producer, sequence uint64, code pb.ServerError) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_SEND_ERROR.Enum(), SendError: &pb.CommandSendError{
		ProducerId: proto.Uint64(producer), SequenceId: proto.Uint64(sequence), Error: code.Enum(), Message: proto.String("why")}}
}

// dropped captures the receipt of a SEND that the broker threw away as a
// duplicate.
func (c *talk) dropped(producer, sequence uint64) {
	const none = 1<<64 - 1
	c.broker(&pb.BaseCommand{Type: pb.BaseCommand_SEND_RECEIPT.Enum(), SendReceipt: &pb.CommandSendReceipt{
		ProducerId: proto.Uint64(producer), SequenceId: proto.Uint64(sequence),
		MessageId: &pb.MessageIdData{LedgerId: proto.Uint64(none), EntryId: proto.Uint64(none)}}})
}

func TestSendResent(t *testing.T) {
	// lost is a first connection that ends with a SEND in flight.
	lost := func(s *scene) {
		c := s.conn(4000)
		c.producer(1, "p")
		c.publish(1, 5, "p")
		c.RST(wiremake.Server)
	}
	again := func(s *scene) *talk {
		c := s.conn(4001)
		c.reopen(1, 1, "p")
		c.publish(1, 5, "p")
		return c
	}
	t.Run("stored after a reconnect", func(t *testing.T) {
		s := newScene(t)
		lost(s)
		again(s).receipt(1, 5, 0)
		s.finds(sendResent, "warning "+topic+" p: | sent 1 SEND again, of sequence ids 5 to 5 | 1 had no answer before and were stored now")
	})
	t.Run("known to the broker", func(t *testing.T) {
		s := newScene(t)
		lost(s)
		again(s).dropped(1, 5)
		s.finds(sendResent, "info 1 the broker knew and dropped")
	})
	t.Run("after a SEND_ERROR", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.publish(1, 5, "p")
		c.broker(sendError(1, 5, pb.ServerError_PersistenceError))
		c.reopen(1, 1, "p")
		c.publish(1, 5, "p")
		c.receipt(1, 5, 0)
		s.finds(sendResent, "info 1 had been refused before")
	})
	t.Run("another message with the same id", func(t *testing.T) {
		s := newScene(t)
		lost(s)
		c := s.conn(4001)
		c.producer(1, "p")
		c.Send(wiremake.Client, sendFrame(1, 5, "p", "something else").Frame())
		c.receipt(1, 5, 0)
		s.finds(sendResent)
	})
	t.Run("both sides of a proxy", func(t *testing.T) {
		s := newScene(t)
		front, back := s.conn(4000), s.at(brokerB, 4001)
		for _, c := range []*talk{front, back} {
			c.producer(1, "p")
		}
		for _, c := range []*talk{front, back} {
			c.publish(1, 5, "p")
		}
		for _, c := range []*talk{back, front} {
			c.receipt(1, 5, 0)
		}
		s.finds(sendResent)
	})
	t.Run("replicator", func(t *testing.T) {
		s := newScene(t)
		for port := range uint16(2) {
			c := s.conn(4000 + port)
			c.reopen(1, uint64(port), "pulsar.repl.east-->west")
			c.publish(1, 5, "p")
			c.receipt(1, 5, 0)
			c.Close()
		}
		s.finds(sendResent)
	})
}
