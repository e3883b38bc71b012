package diagnose

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
)

func TestProducerWaiting(t *testing.T) {
	for _, x := range []struct {
		name string
		then func(c *talk)
		want string
	}{
		{"ready later", func(c *talk) { c.broker(producerSuccess(c.request, "p")) }, "info " + topic + " p | It got the topic 2.0 s later"},
		{"not ready", func(*talk) {}, "info It was not ready when"},
	} {
		s := newScene(t)
		c := s.conn(4000)
		c.client(producerCommand(1, topic, "p", *c.next(), 0))
		first := producerSuccess(c.request, "p")
		first.ProducerSuccess.ProducerReady = proto.Bool(false)
		c.broker(first)
		s.wait(2 * time.Second)
		x.then(c)
		s.finds(producerWaiting, x.want)
	}
	s := newScene(t)
	s.conn(4000).producer(1, "p")
	s.finds(producerWaiting)
}
