package diagnose

import (
	"testing"
	"time"
)

func TestSendSlow(t *testing.T) {
	for _, x := range []struct {
		name    string
		sends   int
		slow    int           // how many of them are
		slowest time.Duration // each of these
		want    []string
	}{
		{"one far too slow", 1, 1, 5 * time.Second, []string{"warning " + topic + " p | 1 of 1 answer to SEND took longer than 1.0 s, the slowest one 5.0 s"}},
		{"one slow", 1, 1, 4 * time.Second, []string{"info An answer to SEND came late"}},
		{"none slow", 1, 1, 900 * time.Millisecond, nil},
		{"2 of 100", 100, 2, 1100 * time.Millisecond, []string{"warning 2 of 100 answers | 99th percentile"}},
		{"1 of 100", 100, 1, 1100 * time.Millisecond, []string{"info 1 of 100"}},
		{"2 of 99", 99, 2, 1100 * time.Millisecond, []string{"info 2 of 99"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newScene(t)
			c := s.conn(4000)
			c.producer(1, "p")
			for n := range x.sends {
				c.publish(1, uint64(n), "p")
				if n < x.slow {
					s.wait(x.slowest)
				}
				c.receipt(1, uint64(n), uint64(n))
			}
			s.finds(sendSlow, x.want...)
		})
	}
}
