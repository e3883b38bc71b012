package diagnose

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/proto/pb"
)

func TestRequestSlow(t *testing.T) {
	for _, c := range []struct {
		waits time.Duration
		want  []string
	}{
		{5001 * time.Millisecond, []string{"warning 10.0.0.1-10.0.0.2:6650 | SUBSCRIBE waits long | 1 of 1 took over 1.0 s, the slowest 5.0 s"}},
		{4990 * time.Millisecond, nil},
	} {
		s := newScene(t)
		k := s.conn(4000)
		k.client(&pb.BaseCommand{Type: pb.BaseCommand_SUBSCRIBE.Enum(), Subscribe: &pb.CommandSubscribe{Topic: proto.String(topic),
			Subscription: proto.String(subscription), SubType: shared.Enum(), ConsumerId: proto.Uint64(2), RequestId: proto.Uint64(9)}})
		s.wait(c.waits)
		k.broker(successCommand(9))
		s.finds(requestSlow, c.want...)
	}
}

// TestWaitingProducerIsNotSlow: it waits for exclusive access.
func TestWaitingProducerIsNotSlow(t *testing.T) {
	s := newScene(t)
	c := s.conn(4000)
	c.client(producerCommand(1, topic, "p", 9, 0))
	wait := producerSuccess(9, "p")
	wait.ProducerSuccess.ProducerReady = proto.Bool(false)
	c.broker(wait)
	s.wait(time.Minute)
	c.broker(producerSuccess(9, "p"))
	s.finds(requestSlow)
}
