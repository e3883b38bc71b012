package diagnose

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
)

// TestDuplicateDelivery: entry 0 comes twice; what happens between says why.
func TestDuplicateDelivery(t *testing.T) {
	elsewhere := func(c *talk) *talk { return c.scene.conn(4001) }
	for _, c := range []struct {
		name    string
		kind    pb.CommandSubscribe_SubType
		between func(c *talk) *talk // gives the connection of the second delivery
		want    string
	}{
		{"nack", shared, func(c *talk) *talk { c.again(2, 0); return c }, "info given back by the consumer"},
		{"all asked for", shared, func(c *talk) *talk { c.scene.wait(20 * time.Second); c.again(2); return c }, "info given back by the consumer"},
		{"ack timeout", shared, func(c *talk) *talk { c.scene.wait(10 * time.Second); c.again(2, 0); return c }, "warning not acknowledged in time"},
		{"nack after the usual minute", shared, func(c *talk) *talk { c.scene.wait(62 * time.Second); c.again(2, 0); return c }, "info given back"},
		{"nack while an older one is kept", shared, func(c *talk) *talk {
			c.deliver(2, 1, 0)
			c.scene.wait(10 * time.Second)
			c.again(2, 1)
			c.deliver(2, 1, 1)
			return nil
		}, "info given back"},
		{"seek", shared, func(c *talk) *talk { c.ack(2, 0); c.seek(2, 0); return c }, "info the subscription was set back"},
		{"closed by the client", shared, func(c *talk) *talk { c.closeConsumer(2); c.consumer(2, shared, "c"); return c }, "info its consumer was closed"},
		{"closed by the broker", shared, func(c *talk) *talk { c.kickConsumer(2); c.consumer(2, shared, "c"); return c }, "info the broker closed its consumer"},
		{"connection lost", shared, func(c *talk) *talk { c.RST(wiremake.Server); d := elsewhere(c); d.consumer(2, shared, "c"); return d },
			"warning the connection was lost before it was acknowledged | to consumer c and again"},
		{"connection lost, another consumer goes on", shared, func(c *talk) *talk {
			d := elsewhere(c)
			d.consumer(2, shared, "d")
			c.RST(wiremake.Server)
			return d
		}, "warning the connection was lost before it was acknowledged | to consumer c and again"},
		{"acknowledgement lost", shared, func(c *talk) *talk {
			c.ack(2, 0)
			c.RST(wiremake.Server)
			d := elsewhere(c)
			d.consumer(2, shared, "c")
			return d
		},
			"warning its acknowledgement was lost"},
		{"acknowledged", shared, func(c *talk) *talk { c.ack(2, 0); return c }, "warning although it was acknowledged"},
		{"nothing", shared, func(c *talk) *talk { return c }, "warning nobody asked for it"},
		{"take-over", pb.CommandSubscribe_Failover, func(c *talk) *talk {
			d := elsewhere(c)
			d.consumer(2, pb.CommandSubscribe_Failover, "d")
			c.active(2, false)
			d.active(2, true)
			return d
		}, "info another consumer has taken over"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t)
			k := consuming(s, c.kind, 100)
			k.deliver(2, 0, 0)
			if d := c.between(k); d != nil {
				d.deliver(2, 0, 0)
			}
			s.finds(duplicateDelivery, c.want)
		})
	}
}

// TestPartOfBatchAcknowledged: the rest of a batch comes again.
func TestPartOfBatchAcknowledged(t *testing.T) {
	s := newScene(t)
	c := consuming(s, shared, 100)
	c.deliverBatch(2, 0, 3)
	c.ackIndex(2, 0, -1, 6)
	c.closeConsumer(2)
	c.consumer(2, shared, "c")
	c.deliverBatch(2, 0, 3)
	s.finds(duplicateDelivery, "info its batch was acknowledged in part")
}

// TestAbortedAck: it was acknowledged in a transaction.
func TestAbortedAck(t *testing.T) {
	s := newScene(t)
	c := consuming(s, shared, 100)
	c.deliver(2, 0, 0)
	c.ackCommand(&pb.CommandAck{ConsumerId: proto.Uint64(2), AckType: pb.CommandAck_Individual.Enum(), MessageId: []*pb.MessageIdData{id(0)},
		TxnidMostBits: proto.Uint64(0), TxnidLeastBits: proto.Uint64(5)})
	c.deliver(2, 0, 1)
	s.finds(duplicateDelivery, "info its transaction was aborted | redelivery_count is 1")
}

// TestNoDuplicate: other entries, another subscription, and both legs of a proxy.
func TestNoDuplicate(t *testing.T) {
	s := newScene(t)
	c := consuming(s, shared, 100)
	c.deliver(2, 0, 0)
	c.deliver(2, 1, 0)
	d := s.to("10.0.0.9:6650", 4001)
	d.connect()
	d.consumer(2, shared, "c")
	d.deliver(2, 0, 0)
	s.finds(duplicateDelivery)
}

// TestDuplicateBehindGap: what is missing may have been the request for it.
func TestDuplicateBehindGap(t *testing.T) {
	s := newScene(t)
	c := consuming(s, shared, 100)
	c.deliver(2, 0, 0)
	c.Lose(wiremake.Client, 30)
	c.deliver(2, 0, 0)
	c.beats(3 * time.Second)
	for _, f := range s.findings(duplicateDelivery) {
		if f.Severity > Info {
			t.Error(say(f))
		}
	}
}
