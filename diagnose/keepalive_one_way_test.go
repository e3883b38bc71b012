package diagnose

import (
	"testing"
	"time"
)

func TestKeepaliveOneWay(t *testing.T) {
	for _, x := range []struct {
		name  string
		pings int // of the broker
		pong  bool
		own   bool // the client pings
		want  []string
	}{
		{"never answers", 2, false, true, []string{"warning The client sent 1 PING of its own | none of the 2 PINGs"}},
		{"answered once", 2, true, true, nil},
		{"asked once", 1, false, true, nil},
		{"does not ping", 2, false, false, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newScene(t)
			c := s.conn(4000)
			for range x.pings {
				c.broker(ping())
				s.wait(30 * time.Second)
			}
			if x.pong {
				c.client(pong())
			}
			if x.own {
				c.client(ping())
				c.broker(pong())
			}
			c.Close()
			s.finds(keepaliveOneWay, x.want...)
		})
	}
}
