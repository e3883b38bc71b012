package diagnose

import (
	"testing"

	"pulsar-dissect/proto/pb"
)

// tryProducer opens a producer of the topic and refuses it.
func (c *talk) tryProducer(id uint64, name string, code pb.ServerError, text string) {
	c.client(producerCommand(id, topic, name, *c.next(), 0))
	c.refuse(code, text)
}

func TestProducerRefused(t *testing.T) {
	s := newScene(t)
	c := s.conn(4000)
	for n := range uint64(2) {
		c.tryProducer(1, "p", pb.ServerError_TopicTerminatedError, "org.apache.pulsar.Some$TopicTerminatedException: ended")
		s.conn(4001+uint16(n)).tryProducer(n, "", pb.ServerError_TopicTerminatedError, "org.apache.pulsar.Some$TopicTerminatedException: ended")
	}
	s.finds(producerRefused, `error `+topic+` x4: Producer refused: TopicTerminatedError | (p) with | ("TopicTerminatedException: ended")`)

	for _, code := range []pb.ServerError{pb.ServerError_ProducerBusy, pb.ServerError_ProducerFenced, pb.ServerError_IncompatibleSchema} {
		s = newScene(t)
		s.conn(4000).tryProducer(1, "p", code, "other rules tell")
		s.finds(producerRefused)
	}
}
