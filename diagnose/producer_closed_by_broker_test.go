package diagnose

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
)

// closedByBroker captures a CLOSE_PRODUCER of the broker.
func (c *talk) closedByBroker(id uint64, assigned string) {
	x := closeProducer(id, 1<<64-1)
	if assigned != "" {
		x.CloseProducer.AssignedBrokerServiceUrl = proto.String(assigned)
	}
	c.broker(x)
}

func TestProducerClosedByBroker(t *testing.T) {
	t.Run("moved", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.closedByBroker(1, "pulsar://10.0.0.3:6650")
		s.at(brokerB, 4001).reopen(1, 1, "p")
		s.finds(producerClosedByBroker, "info "+topic+" p | 10.0.0.2:6650 closed the producer | which now is at pulsar://10.0.0.3:6650; it was open again at 10.0.0.3:6650 6 ms later")
	})
	t.Run("back late", func(t *testing.T) {
		for wait, severity := range map[time.Duration]string{5 * time.Second: "warning", 4 * time.Second: "info"} {
			s := newScene(t)
			c := s.conn(4000)
			c.producer(1, "p")
			c.closedByBroker(1, "")
			s.wait(wait)
			c.reopen(1, 1, "p")
			s.finds(producerClosedByBroker, severity+" it was open again")
		}
	})
	t.Run("not back", func(t *testing.T) {
		for wait, severity := range map[time.Duration]string{5 * time.Second: "warning", 4 * time.Second: "info"} {
			s := newScene(t)
			c := s.conn(4000)
			c.producer(1, "p")
			c.closedByBroker(1, "")
			s.wait(wait)
			s.conn(4001)
			s.finds(producerClosedByBroker, severity+" it was not open again")
		}
	})
	t.Run("closed by the client", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.client(closeProducer(1, *c.next()))
		s.finds(producerClosedByBroker)
	})
}
