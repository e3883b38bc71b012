package diagnose

import (
	"testing"
	"time"
)

// TestThrottledDelivery: one entry every second, although more wait and there are
// permits.
func TestThrottledDelivery(t *testing.T) {
	for _, c := range []struct {
		gaps []time.Duration
		want []string
	}{
		{[]time.Duration{time.Second, time.Second, time.Second}, []string{"warning sub | in portions every 1.0 s | 97 permits"}},
		{[]time.Duration{time.Second, time.Second}, nil},
		{[]time.Duration{time.Second, 2 * time.Second, time.Second}, nil}, // at no steady rate
		{[]time.Duration{800 * time.Millisecond, 800 * time.Millisecond, 800 * time.Millisecond}, nil},
	} {
		s := newScene(t)
		k := consuming(s, shared, 100)
		for n := range uint64(6) {
			k.store(n)
		}
		k.deliver(2, 0, 0)
		k.ack(2, 0)
		for n, d := range c.gaps {
			s.wait(d)
			k.deliver(2, uint64(n)+1, 0)
			k.ack(2, uint64(n)+1)
		}
		s.finds(throttled, c.want...)
	}
}

// TestThrottledReceipts: all is sent at once, the receipts come one by one.
func TestThrottledReceipts(t *testing.T) {
	for _, c := range []struct {
		receipts uint64
		uneven   bool
		want     []string
	}{
		{16, false, []string{"warning p | receipts came every 50 ms, 20 a second"}},
		{15, false, nil},
		{30, true, nil},
	} {
		s := newScene(t)
		k := s.conn(4000)
		k.producer(1, "p")
		for n := range c.receipts {
			k.publish(1, n, "p")
		}
		for n := range c.receipts {
			s.wait(49 * time.Millisecond)
			if c.uneven && n%2 == 0 {
				s.wait(50 * time.Millisecond)
			}
			k.receipt(1, n, n)
		}
		s.finds(throttled, c.want...)
	}
}

// TestNoThrottle: each SEND waits for the receipt of the one before.
func TestNoThrottle(t *testing.T) {
	s := newScene(t)
	c := s.conn(4000)
	c.producer(1, "p")
	for n := range uint64(40) {
		c.publish(1, n, "p")
		s.wait(50 * time.Millisecond)
		c.receipt(1, n, n)
	}
	s.finds(throttled)
}
