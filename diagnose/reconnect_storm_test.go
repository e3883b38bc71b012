package diagnose

import (
	"fmt"
	"testing"
	"time"

	"pulsar-dissect/proto/pb"
)

func TestReconnectStorm(t *testing.T) {
	// attempts makes connections of one client, a time apart.
	attempts := func(s *scene, n int, apart time.Duration, use func(c *talk, i int)) {
		for i := range n {
			c := s.conn(4000 + uint16(i))
			use(c, i)
			c.Close()
			s.wait(apart)
		}
	}
	nothing := func(*talk, int) {}
	for _, x := range []struct {
		name  string
		n     int
		apart time.Duration
		use   func(c *talk, i int)
		want  []string
	}{
		{"ten", 10, time.Second, nothing, []string{"warning 10.0.0.1-10.0.0.2:6650: | 10 connections within 9.1 s | 10 in the whole capture"}},
		{"nine", 9, time.Second, nothing, nil},
		{"slowly", 20, 1200 * time.Millisecond, nothing, nil},
		{"the same producer again", 11, time.Second, func(c *talk, _ int) { c.producer(1, "p") }, []string{"warning 10 of them made one again"}},
		{"producers of their own", 20, time.Second, func(c *talk, i int) { c.producer(1, fmt.Sprint("p", i)) }, nil},
		{"questions answered", 20, time.Second, func(c *talk, _ int) { c.lookup(topic) }, nil},
		{"producers refused", 10, time.Second, func(c *talk, _ int) {
			c.lookup(topic)
			c.client(producerCommand(1, topic, "p", *c.next(), 0))
			c.refuse(pb.ServerError_ServiceNotReady, "later")
		}, []string{"warning 10 connections"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newScene(t)
			attempts(s, x.n, x.apart, x.use)
			s.finds(reconnectStorm, x.want...)
		})
	}
}
