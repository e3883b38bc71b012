package diagnose

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
)

func TestSequenceViolation(t *testing.T) {
	for _, x := range []struct {
		name  string
		epoch uint64
		sends []uint64
		want  []string
	}{
		{"goes back", 0, []uint64{0, 1, 0}, []string{"warning " + topic + " p | sequence id 0 came after one with 1"}},
		{"goes up", 0, []uint64{0, 1, 2}, nil},
		{"set by the application", 0, []uint64{10, 20, 10}, []string{"info The application sets ids itself"}},
		{"jumps", 0, []uint64{0, 100}, nil},
		{"opened again", 1, []uint64{5, 6, 5}, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newScene(t)
			c := s.conn(4000)
			c.reopen(1, x.epoch, "p")
			for _, n := range x.sends {
				c.publish(1, n, "p")
			}
			s.finds(sequenceViolation, x.want...)
		})
	}
	t.Run("chunks share an id", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		for range 3 {
			p := sendFrame(1, 0, "p", "part")
			p.Command.Send.IsChunk = proto.Bool(true)
			c.Send(wiremake.Client, p.Frame())
		}
		c.publish(1, 1, "p")
		s.finds(sequenceViolation)
	})
	t.Run("batches", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		p := sendFrame(1, 0, "p", "batch")
		p.Command.Send.HighestSequenceId = proto.Uint64(9)
		c.Send(wiremake.Client, p.Frame())
		c.publish(1, 10, "p")
		s.finds(sequenceViolation)
		c.publish(1, 8, "p")
		s.finds(sequenceViolation, "warning 8 came after one with 10")
	})
}

func TestReceiptsOutOfOrder(t *testing.T) {
	for _, x := range []struct {
		name     string
		receipts []uint64
		want     []string
	}{
		{"in order", []uint64{0, 1}, nil},
		{"out of order", []uint64{1, 0}, []string{"warning Receipts out of order | for sequence id 0"}},
		{"for nothing", []uint64{0, 1, 7}, []string{"warning not sent | SEND_RECEIPT for sequence id 7"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newScene(t)
			c := s.conn(4000)
			c.producer(1, "p")
			c.publish(1, 0, "p")
			c.publish(1, 1, "p")
			for _, n := range x.receipts {
				c.receipt(1, n, n)
			}
			s.finds(sequenceViolation, x.want...)
		})
	}
	t.Run("the SEND is lost by the capture", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.Lose(wiremake.Client, 60)
		c.receipt(1, 0, 0)
		s.finds(sequenceViolation)
	})
}
