package diagnose

import (
	"testing"
	"time"

	"pulsar-dissect/proto/pb"
)

func TestLookupStorm(t *testing.T) {
	for n, want := range map[int][]string{100: {"warning 10.0.0.1-10.0.0.2:6650 | had 100 lookups in flight"}, 99: nil} {
		s := newScene(t)
		c := s.conn(4000)
		for range n {
			c.client(lookupCommand(*c.next()))
		}
		s.finds(lookupStorm, want...)
	}
	s := newScene(t)
	c := s.conn(4000)
	for range 200 {
		c.lookup(topic)
	}
	s.finds(lookupStorm)
}

func TestTooManyRequests(t *testing.T) {
	for apart, want := range map[time.Duration][]string{4 * time.Second: {"warning TooManyRequests | refused 3 lookups"}, 5 * time.Second: nil} {
		s := newScene(t)
		c := s.conn(4000)
		for range 3 {
			c.client(lookupCommand(*c.next()))
			c.broker(lookupError(c.request, pb.ServerError_TooManyRequests))
			s.wait(apart)
		}
		s.finds(lookupStorm, want...)
	}
}
