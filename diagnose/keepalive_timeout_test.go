package diagnose

import (
	"testing"
	"time"

	"pulsar-dissect/internal/wiremake"
)

func TestKeepaliveTimeout(t *testing.T) {
	t.Run("broker gives the client up", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.consumer(1, 0, "c")
		s.wait(30 * time.Second)
		c.broker(ping())
		s.wait(30 * time.Second)
		c.FIN(wiremake.Server)
		s.finds(keepaliveTimeout, "error 10.0.0.1:4000-10.0.0.2:6650 "+topic+" sub c: PING of the broker | last heard of 30.0 s before | closed the connection (FIN) 30.0 s later")
	})
	t.Run("answered after that", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.broker(ping())
		s.wait(30 * time.Second)
		c.FIN(wiremake.Server)
		s.wait(5 * time.Second)
		c.client(pong())
		s.finds(keepaliveTimeout, "error The PONG came 35.0 s after the PING")
	})
	t.Run("client gives the broker up", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.client(ping())
		s.wait(time.Second)
		c.RST(wiremake.Client)
		s.finds(keepaliveTimeout, "error PING of the client | (RST) 1.0 s later")
	})
	t.Run("closed soon after a PING", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.client(ping())
		s.wait(900 * time.Millisecond)
		c.FIN(wiremake.Client)
		s.finds(keepaliveTimeout)
	})
	t.Run("heard of meanwhile", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.broker(ping())
		c.client(ping())
		s.wait(30 * time.Second)
		c.FIN(wiremake.Server)
		s.finds(keepaliveTimeout)
	})
	t.Run("closed by the silent side", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.broker(ping())
		s.wait(30 * time.Second)
		c.FIN(wiremake.Client)
		s.finds(keepaliveTimeout)
	})
	t.Run("open to the end", func(t *testing.T) {
		for wait, want := range map[time.Duration][]string{time.Minute: {"warning in the 1m0s until the capture ended"}, 50 * time.Second: nil} {
			s := newScene(t)
			s.conn(4000).broker(ping())
			s.wait(wait)
			s.conn(4001)
			s.finds(keepaliveTimeout, want...)
		}
	})
}
