package diagnose

import (
	"testing"
	"time"

	"pulsar-dissect/internal/wiremake"
)

func TestConnectionRefused(t *testing.T) {
	refuse := func(s *scene, server string, port uint16) {
		c := s.tape.Midway(port)
		c.Ends[wiremake.Server] = addrPort(server)
		c.SYN(wiremake.Client, 1000)
		c.RST(wiremake.Server)
	}
	t.Run("nothing else in the capture", func(t *testing.T) {
		s := newScene(t)
		refuse(s, "10.0.0.9:7000", 4000)
		refuse(s, "10.0.0.9:7000", 4001)
		s.finds(connectionRefused, "error 10.0.0.1-10.0.0.9:7000 x2 | was refused (RST)")
	})
	t.Run("a port that is not Pulsar's", func(t *testing.T) {
		s := newScene(t)
		s.conn(4000)
		refuse(s, "10.0.0.9:7000", 4001)
		s.finds(connectionRefused)
	})
	t.Run("a broker that was there before", func(t *testing.T) {
		s := newScene(t)
		s.conn(4000).Close()
		refuse(s, "10.0.0.2:6650", 4001)
		s.finds(connectionRefused, "error The server took connections at other times")
	})
	t.Run("no answer", func(t *testing.T) {
		s := newScene(t)
		c := s.tape.Midway(4000)
		c.SYN(wiremake.Client, 1000)
		s.wait(time.Second)
		c.SYN(wiremake.Client, 1000)
		s.finds(connectionRefused, "warning No answer to SYN | sent SYN to 10.0.0.2:6650 2 times")
	})
	t.Run("one SYN at the end", func(t *testing.T) {
		s := newScene(t)
		s.tape.Midway(4000).SYN(wiremake.Client, 1000)
		s.finds(connectionRefused)
	})
	t.Run("reset later", func(t *testing.T) {
		s := newScene(t)
		s.tcp(4000).RST(wiremake.Server)
		s.finds(connectionRefused)
	})
}
