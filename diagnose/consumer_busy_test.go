package diagnose

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/proto/pb"
)

// subscribeOnly captures a SUBSCRIBE without its answer.
func (c *talk) subscribeOnly(consumer uint64, kind pb.CommandSubscribe_SubType, name string) {
	c.client(&pb.BaseCommand{Type: pb.BaseCommand_SUBSCRIBE.Enum(), Subscribe: &pb.CommandSubscribe{Topic: proto.String(topic), Subscription: proto.String(subscription),
		SubType: kind.Enum(), ConsumerId: proto.Uint64(consumer), RequestId: c.next(), ConsumerName: proto.String(name)}})
}

func TestConsumerBusy(t *testing.T) {
	s := newScene(t)
	a := s.conn(4000)
	a.consumer(1, pb.CommandSubscribe_Exclusive, "first")
	b := s.conn(4001)
	b.subscribeOnly(1, pb.CommandSubscribe_Exclusive, "second")
	b.refuse(pb.ServerError_ConsumerBusy, "taken")
	s.finds(consumerBusy, "error second | ConsumerBusy | held by consumer first of 10.0.0.1:4000-10.0.0.2:6650 (Exclusive)")
	s.finds(consumerRefused)
}

func TestConsumerRefused(t *testing.T) {
	for code, want := range map[pb.ServerError][]string{
		pb.ServerError_AuthorizationError: {"error c | Broker refused a consumer: AuthorizationError | no"},
		pb.ServerError_ServiceNotReady:    {"warning ServiceNotReady"},
		pb.ServerError_IncompatibleSchema: nil, // schema-incompatible
	} {
		s := newScene(t)
		c := s.conn(4000)
		c.subscribeOnly(1, shared, "c")
		c.refuse(code, "no")
		s.finds(consumerRefused, want...)
		s.finds(consumerBusy)
	}
}
