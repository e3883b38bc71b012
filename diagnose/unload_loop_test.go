package diagnose

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/proto/pb"
)

func TestUnloadLoop(t *testing.T) {
	for _, x := range []struct {
		times int
		apart time.Duration
		want  []string
	}{
		{3, 29 * time.Second, []string{"warning " + topic + " p x3: | closed by the broker 3 times"}},
		{3, 31 * time.Second, nil},
		{2, time.Second, nil},
	} {
		s := newScene(t)
		c := s.conn(4000)
		for n := range x.times {
			c.reopen(1, uint64(n), "p")
			c.closedByBroker(1, "")
			s.wait(x.apart)
		}
		s.finds(unloadLoop, x.want...)
	}
}

func TestSeekIsNoUnload(t *testing.T) {
	s := newScene(t)
	c := s.conn(4000)
	for range 5 {
		c.consumer(1, pb.CommandSubscribe_Exclusive, "c")
		c.client(&pb.BaseCommand{Type: pb.BaseCommand_SEEK.Enum(), Seek: &pb.CommandSeek{ConsumerId: proto.Uint64(1), RequestId: c.next()}})
		c.broker(&pb.BaseCommand{Type: pb.BaseCommand_CLOSE_CONSUMER.Enum(),
			CloseConsumer: &pb.CommandCloseConsumer{ConsumerId: proto.Uint64(1), RequestId: proto.Uint64(1<<64 - 1)}})
	}
	s.finds(unloadLoop)
}
