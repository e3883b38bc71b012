package diagnose

import (
	"time"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
)

// store captures a SEND of producer 1 and its receipt: an entry of ledger 7.
func (c *talk) store(entry uint64) {
	c.publish(1, entry, "p")
	c.receipt(1, entry, entry)
}

// storeKeyed is store with a partition key.
func (c *talk) storeKeyed(entry uint64, key string) {
	f := sendFrame(1, entry, "p", "hello")
	f.Metadata.PartitionKey = proto.String(key)
	c.Send(wiremake.Client, f.Frame())
	c.receipt(1, entry, entry)
}

// deliverKeyed is deliver with a partition key.
func (c *talk) deliverKeyed(consumer, entry uint64, key string) {
	f := messageFrame(consumer, entry, 0)
	f.Metadata.PartitionKey = proto.String(key)
	c.Send(wiremake.Server, f.Frame())
}

// deliverBatch captures a MESSAGE with a batch of empty messages.
func (c *talk) deliverBatch(consumer, entry uint64, messages int) {
	f := messageFrame(consumer, entry, 0)
	f.Metadata.NumMessagesInBatch = proto.Int32(int32(messages))
	f.Body = wiremake.Batch(make([]wiremake.Single, messages)...)
	c.Send(wiremake.Server, f.Frame())
}

// send captures any ACK.
func (c *talk) ackCommand(a *pb.CommandAck) {
	c.client(&pb.BaseCommand{Type: pb.BaseCommand_ACK.Enum(), Ack: a})
}

// ackUpTo captures a cumulative ACK.
func (c *talk) ackUpTo(consumer, entry uint64) {
	c.ackCommand(&pb.CommandAck{ConsumerId: proto.Uint64(consumer), AckType: pb.CommandAck_Cumulative.Enum(), MessageId: []*pb.MessageIdData{id(entry)}})
}

// again captures a REDELIVER_UNACKNOWLEDGED_MESSAGES; without entries, of all.
func (c *talk) again(consumer uint64, entries ...uint64) {
	r := &pb.CommandRedeliverUnacknowledgedMessages{ConsumerId: proto.Uint64(consumer)}
	for _, e := range entries {
		r.MessageIds = append(r.MessageIds, id(e))
	}
	c.client(&pb.BaseCommand{Type: pb.BaseCommand_REDELIVER_UNACKNOWLEDGED_MESSAGES.Enum(), RedeliverUnacknowledgedMessages: r})
}

// closeConsumer captures a CLOSE_CONSUMER of the client and its answer.
func (c *talk) closeConsumer(consumer uint64) {
	c.client(&pb.BaseCommand{Type: pb.BaseCommand_CLOSE_CONSUMER.Enum(),
		CloseConsumer: &pb.CommandCloseConsumer{ConsumerId: proto.Uint64(consumer), RequestId: c.next()}})
	c.broker(successCommand(c.request))
}

// kickConsumer captures a CLOSE_CONSUMER of the broker.
func (c *talk) kickConsumer(consumer uint64) {
	c.broker(&pb.BaseCommand{Type: pb.BaseCommand_CLOSE_CONSUMER.Enum(),
		CloseConsumer: &pb.CommandCloseConsumer{ConsumerId: proto.Uint64(consumer), RequestId: proto.Uint64(1<<64 - 1)}})
}

// seek captures a SEEK to an entry and its answer.
func (c *talk) seek(consumer, entry uint64) {
	c.client(&pb.BaseCommand{Type: pb.BaseCommand_SEEK.Enum(),
		Seek: &pb.CommandSeek{ConsumerId: proto.Uint64(consumer), RequestId: c.next(), MessageId: id(entry)}})
	c.broker(successCommand(c.request))
}

// active captures an ACTIVE_CONSUMER_CHANGE.
func (c *talk) active(consumer uint64, is bool) {
	c.broker(&pb.BaseCommand{Type: pb.BaseCommand_ACTIVE_CONSUMER_CHANGE.Enum(),
		ActiveConsumerChange: &pb.CommandActiveConsumerChange{ConsumerId: proto.Uint64(consumer), IsActive: proto.Bool(is)}})
}

// consuming is a scene with a producer 1 and a consumer 2 called "c" on one
// connection, with so many permits.
func consuming(s *scene, kind pb.CommandSubscribe_SubType, permits uint32) *talk {
	c := s.conn(4000)
	c.producer(1, "p")
	c.consumer(2, kind, "c")
	if permits > 0 {
		c.flow(2, permits)
	}
	return c
}

const shared = pb.CommandSubscribe_Shared

// beats captures PINGs and PONGs for a while, so that time is seen to pass.
func (c *talk) beats(d time.Duration) {
	for ; d > 0; d -= time.Second {
		c.scene.wait(min(d, time.Second))
		c.client(ping())
		c.broker(pong())
	}
}
