package diagnose

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
)

// deliverEpoch captures a MESSAGE of an epoch.
func (c *talk) deliverEpoch(consumer, entry, epoch uint64) {
	f := messageFrame(consumer, entry, 0)
	f.Command.Message.ConsumerEpoch = proto.Uint64(epoch)
	c.Send(wiremake.Server, f.Frame())
}

func TestStaleEpoch(t *testing.T) {
	for _, c := range []struct {
		epochs []uint64 // of MESSAGEs after epoch 1 was begun
		want   []string
	}{
		{[]uint64{0, 1, 1}, []string{"info c | Epoch 0, while the client had begun epoch 1"}},
		{[]uint64{1, 0}, []string{"warning c | behind those of the new one"}},
		{[]uint64{1, 1}, nil},
	} {
		s := newScene(t)
		k := consuming(s, pb.CommandSubscribe_Exclusive, 10)
		k.deliverEpoch(2, 0, 0)
		k.client(&pb.BaseCommand{Type: pb.BaseCommand_REDELIVER_UNACKNOWLEDGED_MESSAGES.Enum(),
			RedeliverUnacknowledgedMessages: &pb.CommandRedeliverUnacknowledgedMessages{ConsumerId: proto.Uint64(2), ConsumerEpoch: proto.Uint64(1)}})
		for n, e := range c.epochs {
			k.deliverEpoch(2, uint64(n), e)
		}
		s.finds(staleEpoch, c.want...)
	}
}
