package diagnose

import (
	"testing"

	"pulsar-dissect/proto/pb"
)

func TestCumulativeAckOnShared(t *testing.T) {
	for _, c := range []struct {
		kind pb.CommandSubscribe_SubType
		want []string
	}{
		{pb.CommandSubscribe_Shared, []string{"warning c | Cumulative acknowledgement on a shared subscription | up to 7:0"}},
		{pb.CommandSubscribe_Key_Shared, []string{"warning type Key_Shared"}},
		{pb.CommandSubscribe_Failover, nil},
	} {
		s := newScene(t)
		k := consuming(s, c.kind, 10)
		k.deliver(2, 0, 0)
		k.ackUpTo(2, 0)
		s.finds(ackIllegal, c.want...)
	}
}

func TestAckOfWhatWasNotDelivered(t *testing.T) {
	s := newScene(t)
	c := consuming(s, shared, 10)
	c.deliver(2, 0, 0)
	c.ack(2, 0, 9)
	c.Close()
	s.finds(ackIllegal, "warning c | never delivered | ACK of 7:9")

	s = newScene(t)
	c = consuming(s, shared, 10)
	c.deliver(2, 0, 0)
	c.ack(2, 0)
	c.ack(2, 0) // a repeat
	c.Close()
	s.finds(ackIllegal)
}

// TestAckOfEarlierDelivery: delivered before a SEEK, on an earlier connection, or
// perhaps on one that the capture has only the end of.
func TestAckOfEarlierDelivery(t *testing.T) {
	s := newScene(t)
	c := consuming(s, shared, 10)
	c.seek(2, 0)
	c.ack(2, 9)
	c.Close()
	s.finds(ackIllegal)

	s = newScene(t)
	c = consuming(s, shared, 10)
	c.deliver(2, 0, 0)
	c.Close()
	d := s.conn(4001)
	d.consumer(2, shared, "c")
	d.ack(2, 0)
	d.Close()
	s.finds(ackIllegal)

	s = newScene(t)
	old := &talk{Talk: s.tape.Midway(3999), scene: s}
	old.client(ping())
	old.broker(pong())
	c = consuming(s, shared, 10)
	c.ack(2, 9)
	c.Close()
	s.finds(ackIllegal)
}
