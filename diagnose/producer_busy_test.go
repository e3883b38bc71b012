package diagnose

import (
	"testing"
	"time"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
)

func TestProducerBusy(t *testing.T) {
	const text = "Producer with name 'p' is already connected"
	t.Run("the holder is alive", func(t *testing.T) {
		s := newScene(t)
		s.conn(4000).producer(1, "p")
		s.wait(time.Second)
		s.conn(4001).tryProducer(1, "p", pb.ServerError_ProducerBusy, text)
		s.finds(producerBusy, "error 10.0.0.1:4001-10.0.0.2:6650 "+topic+" p: | held by p on connection 10.0.0.1:4000-10.0.0.2:6650 (lab-client 1.0) since 22:13:20.005 (1.0 s) | is alive, last heard of 1.0 s before")
	})
	t.Run("the holder is silent", func(t *testing.T) {
		s := newScene(t)
		s.conn(4000).producer(1, "p")
		s.wait(2 * time.Minute)
		s.conn(4001).tryProducer(1, "p", pb.ServerError_ProducerBusy, text)
		s.finds(producerBusy, "error nothing came from there for 2m0s: it looks dead")
	})
	t.Run("the holder's connection is closed", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.FIN(wiremake.Client)
		s.wait(time.Second)
		s.conn(4001).tryProducer(1, "p", pb.ServerError_ProducerBusy, text)
		s.finds(producerBusy, "error the client closed the connection (FIN) 1.0 s before")
	})
	t.Run("the producer is closed", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.client(closeProducer(1, *c.next()))
		s.conn(4001).tryProducer(1, "p", pb.ServerError_ProducerBusy, text)
		s.finds(producerBusy, "error that producer was closed 6 ms before")
	})
	t.Run("the holder is not in the capture", func(t *testing.T) {
		s := newScene(t)
		s.conn(4001).tryProducer(1, "p", pb.ServerError_ProducerBusy, text)
		s.finds(producerBusy, "error does not show who holds it")
	})
	t.Run("too many", func(t *testing.T) {
		s := newScene(t)
		s.conn(4000).producer(1, "p")
		s.conn(4001).tryProducer(1, "q", pb.ServerError_ProducerBusy, "Topic reached max producers limit")
		s.finds(producerBusy, "error By this capture the topic has 1 producer there")
	})
	t.Run("another code", func(t *testing.T) {
		s := newScene(t)
		s.conn(4001).tryProducer(1, "p", pb.ServerError_ProducerFenced, text)
		s.finds(producerBusy)
	})
}
