package diagnose

import (
	"testing"

	"pulsar-dissect/proto/pb"
)

func TestLookupUnfollowed(t *testing.T) {
	for _, x := range []struct {
		name string
		then func(s *scene, c *talk)
		want []string
	}{
		{"nothing", func(*scene, *talk) {}, []string{"info 10.0.0.1:4000-10.0.0.2:6650 " + topic + " | is at 10.0.0.2:6650"}},
		{"a producer", func(_ *scene, c *talk) { c.producer(1, "p") }, nil},
		{"a consumer", func(_ *scene, c *talk) { c.consumer(1, pb.CommandSubscribe_Shared, "c") }, nil},
		{"another connection", func(s *scene, _ *talk) { s.conn(4001) }, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newScene(t)
			c := s.conn(4000)
			c.lookup(topic)
			x.then(s, c)
			s.finds(lookupUnfollowed, x.want...)
		})
	}
}
