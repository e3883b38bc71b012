package diagnose

import (
	"testing"
	"time"

	"pulsar-dissect/internal/wiremake"
)

// trickle captures a frame of the client in two halves with a wait between.
func trickle(c *talk, frame []byte, wait time.Duration) {
	c.Send(wiremake.Client, frame[:len(frame)/2])
	c.scene.wait(wait)
	c.Send(wiremake.Client, frame[len(frame)/2:])
}

func TestKeepaliveStarved(t *testing.T) {
	t.Run("PONG behind a slow frame", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.broker(ping())
		trickle(c, sendFrame(1, 0, "p", "large").Frame(), 8*time.Second)
		c.client(pong())
		s.finds(keepaliveStarved, "warning A SEND of | took 8.0 s | came 8.0 s after the PING")
	})
	t.Run("closed over it", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.broker(ping())
		trickle(c, sendFrame(1, 0, "p", "large").Frame(), 8*time.Second)
		c.FIN(wiremake.Server)
		s.finds(keepaliveStarved, "warning had not come when the broker closed the connection (FIN) 8.0 s after the PING")
	})
	t.Run("fast enough", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.broker(ping())
		trickle(c, sendFrame(1, 0, "p", "large").Frame(), 4*time.Second)
		c.client(pong())
		s.finds(keepaliveStarved)
	})
	t.Run("slow for another reason", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.broker(ping())
		trickle(c, sendFrame(1, 0, "p", "large").Frame(), 2*time.Second)
		s.wait(8 * time.Second)
		c.client(pong())
		s.finds(keepaliveStarved)
	})
}
