package diagnose

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/proto/pb"
)

// ackIndex captures an ACK that names a message of a batch.
func (c *talk) ackIndex(consumer, entry uint64, index int32, set ...int64) {
	m := id(entry)
	m.BatchIndex, m.AckSet = proto.Int32(index), set
	c.ackCommand(&pb.CommandAck{ConsumerId: proto.Uint64(consumer), AckType: pb.CommandAck_Individual.Enum(), MessageId: []*pb.MessageIdData{m}})
}

func TestAckWholeEntry(t *testing.T) {
	for _, c := range []struct {
		messages int
		index    int32
		set      []int64
		want     []string
	}{
		{3, 0, nil, []string{"info c | ACK of message 0 of 7:0, a batch of 3, without ack_set"}},
		{3, -1, nil, nil},
		{3, 0, []int64{6}, nil},
		{1, 0, nil, nil},
	} {
		s := newScene(t)
		k := consuming(s, shared, 10)
		k.deliverBatch(2, 0, c.messages)
		k.ackIndex(2, 0, c.index, c.set...)
		s.finds(ackWholeEntry, c.want...)
	}
}

func TestRedeliveryAskedInVain(t *testing.T) {
	s := newScene(t)
	c := consuming(s, shared, 10)
	c.deliverBatch(2, 0, 3)
	c.ack(2, 0)
	c.again(2, 0)
	s.finds(ackWholeEntry, "warning c | 7:0, a batch of 3, was acknowledged whole | Nothing will come")

	s = newScene(t)
	c = consuming(s, shared, 10)
	c.deliver(2, 0, 0)
	c.ack(2, 0)
	c.again(2, 0)
	s.finds(ackWholeEntry)
}
