package diagnose

import (
	"testing"
	"time"
)

func TestAckSlow(t *testing.T) {
	for _, c := range []struct {
		one  time.Duration
		want []string
	}{
		{5001 * time.Millisecond, []string{"info c | 1 of 1 took over 1.0 s, the slowest 5.0 s, to be acknowledged"}},
		{4990 * time.Millisecond, nil},
	} {
		s := newScene(t)
		k := consuming(s, shared, 10)
		k.deliver(2, 0, 0)
		s.wait(c.one)
		k.ack(2, 0)
		k.closeConsumer(2)
		s.finds(ackSlow, c.want...)
	}
}

// TestAckSlowQuantile: two of a hundred are slow, or one is.
func TestAckSlowQuantile(t *testing.T) {
	for slow, want := range map[int][]string{2: {"info 2 of 100 took over 1.0 s"}, 1: nil} {
		s := newScene(t)
		c := consuming(s, shared, 1000)
		for n := range uint64(100) {
			c.deliver(2, n, 0)
			if int(n) < slow {
				s.wait(1100 * time.Millisecond)
			}
			c.ack(2, n)
		}
		c.closeConsumer(2)
		s.finds(ackSlow, want...)
	}
}
