package diagnose

import (
	"testing"
	"time"

	"pulsar-dissect/internal/wiremake"
)

// TestPermitStarvation: the consumer has used its only permit, an entry waits.
func TestPermitStarvation(t *testing.T) {
	for _, c := range []struct {
		waits time.Duration
		want  []string
	}{
		{5100 * time.Millisecond, []string{"warning c | sub | 1 entry waited for 5.1 s | a FLOW at"}},
		{61 * time.Second, []string{"error 1 entry waited for 1m1s"}},
		{4900 * time.Millisecond, nil},
	} {
		s := newScene(t)
		k := consuming(s, shared, 1)
		k.store(0)
		k.deliver(2, 0, 0)
		k.ack(2, 0)
		k.store(1)
		s.wait(c.waits)
		k.flow(2, 1)
		k.deliver(2, 1, 0)
		s.finds(permitStarvation, c.want...)
	}
}

// TestNoStarvation: nothing waits, or the capture may lack the FLOW.
func TestNoStarvation(t *testing.T) {
	s := newScene(t)
	c := consuming(s, shared, 1)
	c.store(0)
	c.deliver(2, 0, 0)
	c.ack(2, 0)
	s.wait(time.Minute)
	c.flow(2, 1)
	s.finds(permitStarvation)

	s = newScene(t)
	c = consuming(s, shared, 1)
	c.store(0)
	c.deliver(2, 0, 0)
	c.Lose(wiremake.Client, 20)
	c.store(1)
	s.wait(time.Minute)
	c.flow(2, 1)
	c.deliver(2, 1, 0)
	s.finds(permitStarvation)
}

// TestSlowConsumer: many short waits are one word.
func TestSlowConsumer(t *testing.T) {
	for _, c := range []struct {
		times uint64
		want  []string
	}{
		{6, []string{"info Consumer is slower than its topic | 6 times, 6.0 s in all"}},
		{4, nil},
	} {
		s := newScene(t)
		k := consuming(s, shared, 1)
		k.store(0)
		k.deliver(2, 0, 0)
		for n := range c.times {
			k.ack(2, n)
			k.store(n + 1)
			s.wait(time.Second)
			k.flow(2, 1)
			k.deliver(2, n+1, 0)
		}
		k.Close()
		s.finds(permitStarvation, c.want...)
	}
}
