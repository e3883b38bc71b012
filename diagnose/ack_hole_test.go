package diagnose

import (
	"testing"
	"time"
)

// TestAckHole: entry 0 is not acknowledged, later ones are.
func TestAckHole(t *testing.T) {
	for _, c := range []struct {
		age  time.Duration
		want []string
	}{
		{61 * time.Second, []string{"warning sub | 1 entry not acknowledged between 1 range | the oldest, 7:0"}},
		{50 * time.Second, []string{"info sub | 1 entry not acknowledged"}},
		{500 * time.Millisecond, nil},
	} {
		s := newScene(t)
		k := consuming(s, shared, 100)
		k.deliver(2, 0, 0)
		k.deliver(2, 1, 0)
		s.wait(c.age)
		k.ack(2, 1)
		k.closeConsumer(2)
		s.finds(ackHole, c.want...)
	}
}

// TestAckHoleRanges: every second entry is not acknowledged.
func TestAckHoleRanges(t *testing.T) {
	for _, c := range []struct {
		entries uint64
		want    []string
	}{
		{200, []string{"warning 100 entries not acknowledged between 100 ranges"}},
		{198, []string{"info 99 entries not acknowledged between 99 ranges"}},
	} {
		s := newScene(t)
		k := consuming(s, shared, 1000)
		for n := range c.entries {
			k.deliver(2, n, 0)
		}
		s.wait(time.Second)
		for n := uint64(1); n < c.entries; n += 2 {
			k.ack(2, n)
		}
		k.closeConsumer(2)
		s.finds(ackHole, c.want...)
	}
}

// TestNoAckHole: what is not acknowledged comes last.
func TestNoAckHole(t *testing.T) {
	s := newScene(t)
	c := consuming(s, shared, 100)
	c.deliver(2, 0, 0)
	c.ack(2, 0)
	c.deliver(2, 1, 0)
	s.wait(2 * time.Minute)
	c.closeConsumer(2)
	s.finds(ackHole)
}

// TestAckHoleHolder: the entry went to one consumer first and to another later.
func TestAckHoleHolder(t *testing.T) {
	s := newScene(t)
	k := consuming(s, shared, 100)
	k.deliver(2, 0, 0)
	k.deliver(2, 1, 0)
	s.wait(40 * time.Second)
	k.again(2, 0)
	d := s.conn(4001)
	d.consumer(3, shared, "d")
	d.flow(3, 100)
	d.deliver(3, 0, 1)
	s.wait(21 * time.Second)
	k.ack(2, 1)
	s.finds(ackHole, "warning sub | the oldest, 7:0, was delivered 1m1s before for the first time, 2 times in all | to consumer d")
}

// TestAckHoleClosed: what was late is acknowledged after all.
func TestAckHoleClosed(t *testing.T) {
	s := newScene(t)
	k := consuming(s, shared, 100)
	k.deliver(2, 0, 0)
	k.deliver(2, 1, 0)
	s.wait(61 * time.Second)
	k.ack(2, 1)
	s.wait(9 * time.Second)
	k.ack(2, 0)
	s.finds(ackHole, "info sub | the oldest, 7:0 | It was acknowledged at | 1m10s after its first delivery")
}
