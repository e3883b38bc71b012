package diagnose

import (
	"testing"
)

// TestPermitLeak: at each refill one message more than granted was acknowledged.
func TestPermitLeak(t *testing.T) {
	for _, c := range []struct {
		refills, grants uint64 // of 5 messages each
		want            []string
	}{
		{3, 4, []string{"warning c | Of 15 messages | 3 were not granted anew by the 3 FLOWs after the first of 10"}},
		{2, 4, nil},
		{6, 5, nil},
	} {
		s := newScene(t)
		k := consuming(s, shared, 10)
		entry := uint64(0)
		for range c.refills {
			for range 5 {
				k.deliver(2, entry, 0)
				k.ack(2, entry)
				entry++
			}
			k.flow(2, uint32(c.grants))
		}
		s.finds(permitLeak, c.want...)
	}
}

// TestNoPermitLeak: a consumer that is slower than its topic has ever more in its
// queue, not acknowledged.
func TestNoPermitLeak(t *testing.T) {
	s := newScene(t)
	c := consuming(s, shared, 100)
	sent, acked := uint64(0), uint64(0)
	for range 6 {
		for range 8 {
			c.deliver(2, sent, 0)
			sent++
		}
		for range 5 {
			c.ack(2, acked)
			acked++
		}
		c.flow(2, 5)
	}
	s.finds(permitLeak)
}
