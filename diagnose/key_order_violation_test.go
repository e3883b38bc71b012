package diagnose

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
)

// TestKeyOrderViolation: consumer a has a message of the key when b gets one.
func TestKeyOrderViolation(t *testing.T) {
	for _, c := range []struct {
		acked bool
		key   string
		kind  pb.CommandSubscribe_SubType
		want  []string
	}{
		{false, "k", pb.CommandSubscribe_Key_Shared, []string{"error sub | 7:1 with key \"k\" went to consumer b | consumer a had 1 entry of that key unacknowledged, 7:0"}},
		{true, "k", pb.CommandSubscribe_Key_Shared, nil},
		{false, "other", pb.CommandSubscribe_Key_Shared, nil},
		{false, "k", pb.CommandSubscribe_Shared, nil},
	} {
		s := newScene(t)
		k := s.conn(4000)
		k.consumer(2, c.kind, "a")
		k.consumer(3, c.kind, "b")
		k.flow(2, 10)
		k.flow(3, 10)
		k.deliverKeyed(2, 0, "k")
		if c.acked {
			k.ack(2, 0)
		}
		k.deliverKeyed(3, 1, c.key)
		s.finds(keyOrderViolation, c.want...)
	}
}

// TestKeyOfLostConnection: the consumer that had the key has gone.
func TestKeyOfLostConnection(t *testing.T) {
	s := newScene(t)
	a, b := s.conn(4000), s.conn(4001)
	a.consumer(2, pb.CommandSubscribe_Key_Shared, "a")
	b.consumer(2, pb.CommandSubscribe_Key_Shared, "b")
	a.flow(2, 10)
	b.flow(2, 10)
	a.deliverKeyed(2, 0, "k")
	a.RST(wiremake.Client)
	b.deliverKeyed(2, 0, "k")
	b.deliverKeyed(2, 1, "k")
	s.finds(keyOrderViolation)
}

// TestKeyOutOfOrderAllowed: a consumer that has asked for it.
func TestKeyOutOfOrderAllowed(t *testing.T) {
	s := newScene(t)
	c := s.conn(4000)
	for n, name := range []string{"a", "b"} {
		c.client(&pb.BaseCommand{Type: pb.BaseCommand_SUBSCRIBE.Enum(), Subscribe: &pb.CommandSubscribe{Topic: proto.String(topic), Subscription: proto.String(subscription),
			SubType: pb.CommandSubscribe_Key_Shared.Enum(), ConsumerId: proto.Uint64(uint64(n)), RequestId: c.next(), ConsumerName: proto.String(name),
			KeySharedMeta: &pb.KeySharedMeta{KeySharedMode: pb.KeySharedMode_AUTO_SPLIT.Enum(), AllowOutOfOrderDelivery: proto.Bool(true)}}})
		c.broker(successCommand(c.request))
		c.flow(uint64(n), 10)
	}
	c.deliverKeyed(0, 0, "k")
	c.deliverKeyed(1, 1, "k")
	s.finds(keyOrderViolation)
}
