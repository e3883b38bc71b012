package diagnose

import (
	"testing"
	"time"

	"pulsar-dissect/proto/pb"
)

// TestKeyBlocked: consumer a has a message of the key, consumer b has come since.
func TestKeyBlocked(t *testing.T) {
	for _, c := range []struct {
		waits time.Duration
		key   string
		want  []string
	}{
		{time.Second, "k", []string{"warning a | the first with key \"k\" | 1 entry of that key unacknowledged"}},
		{800 * time.Millisecond, "k", nil},
		{time.Second, "other", nil},
	} {
		s := newScene(t)
		k := s.conn(4000)
		k.producer(1, "p")
		k.consumer(2, pb.CommandSubscribe_Key_Shared, "a")
		k.flow(2, 10)
		k.storeKeyed(0, "k")
		k.deliverKeyed(2, 0, "k")
		k.consumer(3, pb.CommandSubscribe_Key_Shared, "b")
		k.flow(3, 10)
		k.storeKeyed(1, c.key)
		s.wait(c.waits)
		k.ack(2, 0)
		k.deliverKeyed(3, 1, c.key)
		s.finds(keyBlocked, c.want...)
	}
}

// TestKeyNotBlocked: the holder itself has no permits, so that it is the one to
// get the message.
func TestKeyNotBlocked(t *testing.T) {
	s := newScene(t)
	c := s.conn(4000)
	c.producer(1, "p")
	c.consumer(2, pb.CommandSubscribe_Key_Shared, "a")
	c.consumer(3, pb.CommandSubscribe_Key_Shared, "b")
	c.flow(2, 1)
	c.flow(3, 10)
	c.storeKeyed(0, "k")
	c.deliverKeyed(2, 0, "k")
	c.storeKeyed(1, "k")
	s.wait(6 * time.Second)
	c.flow(2, 1)
	c.deliverKeyed(2, 1, "k")
	s.finds(keyBlocked)
	s.finds(permitStarvation, "warning a | 1 entry waited for 6.0 s")
}
