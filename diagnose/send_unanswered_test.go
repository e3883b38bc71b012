package diagnose

import (
	"testing"
	"time"

	"pulsar-dissect/internal/wiremake"
)

// reopen opens a producer again, as a client does after a reconnect.
func (c *talk) reopen(id, epoch uint64, name string) {
	r := *c.next()
	c.client(producerCommand(id, topic, name, r, epoch))
	c.broker(producerSuccess(r, name))
}

func TestSendUnanswered(t *testing.T) {
	t.Run("connection closed", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.publish(1, 5, "p")
		s.wait(2 * time.Second)
		c.FIN(wiremake.Server)
		s.finds(sendUnanswered, "warning "+topic+" p: SEND got neither | sequence id 5 had no answer for 2.0 s when the broker closed the connection (FIN)")
	})
	t.Run("answered", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.publish(1, 5, "p")
		c.receipt(1, 5, 0)
		c.FIN(wiremake.Server)
		s.finds(sendUnanswered)
	})
	t.Run("sent again and stored", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.publish(1, 5, "p")
		c.FIN(wiremake.Server)
		d := s.conn(4001)
		d.reopen(1, 1, "p")
		d.publish(1, 5, "p")
		d.receipt(1, 5, 0)
		s.finds(sendUnanswered, "info then sent again and stored")
	})
	t.Run("sent again in a new opening", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.publish(1, 5, "p")
		c.reopen(1, 1, "p")
		c.publish(1, 5, "p")
		c.receipt(1, 5, 0)
		s.finds(sendUnanswered, "info then sent again")
	})
	t.Run("end of the capture", func(t *testing.T) {
		for wait, want := range map[time.Duration]string{5 * time.Second: "warning had no answer for 5.0 s when the capture ended", 4 * time.Second: "info in flight at the end"} {
			s := newScene(t)
			c := s.conn(4000)
			c.producer(1, "p")
			c.publish(1, 5, "p")
			s.wait(wait)
			s.conn(4001)
			s.finds(sendUnanswered, want)
		}
	})
	t.Run("answer lost by the capture", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.publish(1, 5, "p")
		c.Lose(wiremake.Server, 30)
		c.Close()
		s.finds(sendUnanswered)
	})
}
