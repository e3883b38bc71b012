package diagnose

import (
	"testing"

	"pulsar-dissect/proto/pb"
)

func TestProducerFenced(t *testing.T) {
	s := newScene(t)
	a, b := s.conn(4000), s.conn(4001)
	a.producer(1, "old")
	b.producer(1, "new")
	a.tryProducer(1, "old", pb.ServerError_ProducerFenced, "Topic has an existing exclusive producer: new")
	s.finds(producerFenced, "error "+topic+" old | held by new on connection 10.0.0.1:4001")

	s = newScene(t)
	s.conn(4000).producer(1, "old")
	s.finds(producerFenced)
}
