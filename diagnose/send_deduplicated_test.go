package diagnose

import (
	"testing"
)

func TestSendDeduplicated(t *testing.T) {
	t.Run("sent before", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.publish(1, 5, "p")
		c.receipt(1, 5, 0)
		c.publish(1, 5, "p")
		c.dropped(1, 5)
		s.finds(sendDeduplicated, "info "+topic+" p: | sequence id 5 with the id -1:-1 | it was sent before at")
	})
	t.Run("not sent before", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.publish(1, 5, "p")
		c.dropped(1, 5)
		s.finds(sendDeduplicated, "warning not sent before | the message is lost")
	})
	t.Run("began before the capture", func(t *testing.T) {
		s := newScene(t)
		c := &talk{Talk: s.tape.Midway(4000), scene: s}
		c.publish(1, 5, "p")
		c.dropped(1, 5)
		s.finds(sendDeduplicated, "info what was sent before is not in the capture")
	})
	t.Run("stored", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.publish(1, 5, "p")
		c.receipt(1, 5, 0)
		s.finds(sendDeduplicated)
	})
}
