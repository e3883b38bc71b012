package diagnose

import (
	"testing"
	"time"

	"pulsar-dissect/proto/pb"
)

// TestFailoverFlapping: the active consumer changes between a and b.
func TestFailoverFlapping(t *testing.T) {
	for _, c := range []struct {
		changes int
		apart   time.Duration
		want    []string
	}{
		{3, 20 * time.Second, []string{"warning sub | 3 changes within 40.0 s: to b, then a, then b"}},
		{2, 20 * time.Second, nil},
		{3, 31 * time.Second, nil},
	} {
		s := newScene(t)
		k := s.conn(4000)
		k.consumer(1, pb.CommandSubscribe_Failover, "a")
		k.consumer(2, pb.CommandSubscribe_Failover, "b")
		k.active(1, true)
		for n := range c.changes {
			s.wait(c.apart)
			k.active(uint64(1+n%2), false)
			k.active(uint64(2-n%2), true)
		}
		s.finds(failoverFlapping, c.want...)
	}
}
