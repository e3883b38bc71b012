package diagnose

import (
	"testing"
	"time"
)

func TestConsumerClosedByBroker(t *testing.T) {
	s := newScene(t)
	c := consuming(s, shared, 10)
	c.kickConsumer(2)
	s.finds(consumerClosedByBroker, "info c | sub | did not come back in the capture")
	s.wait(99 * time.Millisecond)
	c.consumer(2, shared, "c")
	s.finds(consumerClosedByBroker, "info c | It subscribed again 100 ms later (10.0.0.1:4000-10.0.0.2:6650)")

	s = newScene(t)
	c = consuming(s, shared, 10)
	c.seek(2, 0)
	c.kickConsumer(2)
	s.finds(consumerClosedByBroker, "info because of a SEEK")

	s = newScene(t)
	c = consuming(s, shared, 10)
	c.closeConsumer(2)
	s.finds(consumerClosedByBroker)
}
