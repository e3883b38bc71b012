package diagnose

import (
	"testing"
	"time"
)

// TestUnackedLimit: three messages are not acknowledged, a fourth waits although
// there are permits, and comes once they are.
func TestUnackedLimit(t *testing.T) {
	for _, c := range []struct {
		waits time.Duration
		acks  []uint64
		want  []string
	}{
		{5100 * time.Millisecond, []uint64{0, 1, 2}, []string{"warning c | With 3 unacknowledged messages and 97 permits | nothing for 5.1 s | It went on 1 ms after an ACK"}},
		{4900 * time.Millisecond, []uint64{0, 1, 2}, nil},
		{5100 * time.Millisecond, []uint64{0}, nil}, // two of three are still open: the limit is another thing
		{5100 * time.Millisecond, nil, nil},
	} {
		s := newScene(t)
		k := consuming(s, shared, 100)
		for n := range uint64(3) {
			k.store(n)
			k.deliver(2, n, 0)
		}
		k.store(3)
		s.wait(c.waits)
		if c.acks != nil {
			k.ack(2, c.acks...)
		}
		k.deliver(2, 3, 0)
		s.finds(unackedLimit, c.want...)
	}
}

// TestUnackedLimitTwice: short stops at the same number are told at the second.
func TestUnackedLimitTwice(t *testing.T) {
	for _, c := range []struct {
		second uint64 // messages not acknowledged at the second stop
		want   []string
	}{
		{2, []string{"warning With 2 unacknowledged messages"}},
		{3, nil},
	} {
		s := newScene(t)
		k := consuming(s, shared, 100)
		entry := uint64(0)
		for _, n := range []uint64{2, c.second} {
			first := entry
			for range n {
				k.store(entry)
				k.deliver(2, entry, 0)
				entry++
			}
			k.store(entry)
			s.wait(time.Second)
			for a := first; a < entry; a++ {
				k.ack(2, a)
			}
			k.deliver(2, entry, 0)
			k.ack(2, entry)
			entry++
		}
		s.finds(unackedLimit, c.want...)
	}
}

// TestUnackedForEver: nothing comes to the end of the capture.
func TestUnackedForEver(t *testing.T) {
	s := newScene(t)
	c := consuming(s, shared, 100)
	c.store(0)
	c.deliver(2, 0, 0)
	c.store(1)
	c.beats(6 * time.Second)
	s.finds(unackedLimit, "warning With 1 unacknowledged message and 99 permits | It lasted to the end of the capture")
}
