package diagnose

import (
	"testing"
)

func TestRedeliveryLoop(t *testing.T) {
	for _, c := range []struct {
		times uint32
		want  []string
	}{
		{5, []string{"warning sub | 7:3 | Delivered 5 times | redelivery_count 4"}},
		{4, nil},
	} {
		s := newScene(t)
		k := consuming(s, shared, 100)
		for n := range c.times {
			k.deliver(2, 3, n)
			k.again(2, 3)
		}
		s.finds(redeliveryLoop, c.want...)
	}
}

// TestNoLoopBySeek: a subscription that is set back again and again is no loop.
func TestNoLoopBySeek(t *testing.T) {
	s := newScene(t)
	c := consuming(s, shared, 100)
	for range 6 {
		c.deliver(2, 3, 0)
		c.ack(2, 3)
		c.seek(2, 0)
	}
	s.finds(redeliveryLoop)
}
