package diagnose

import (
	"testing"

	"pulsar-dissect/internal/wiremake"
)

func TestStreamDesync(t *testing.T) {
	garbage := make([]byte, 100)
	t.Run("after a wrong checksum", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		bad := sendFrame(1, 0, "p", "hello")
		bad.Sum = wiremake.Bad
		c.Send(wiremake.Client, bad.Frame(), garbage)
		c.client(ping(), ping())
		s.finds(streamDesync, "error 100 bytes are no frame | Before it came a SEND with a wrong checksum")
	})
	t.Run("frames alone", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.client(ping(), ping())
		s.finds(streamDesync)
	})
	t.Run("behind a gap", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.client(ping())
		c.Lose(wiremake.Client, 10)
		c.Send(wiremake.Client, garbage)
		c.client(ping(), ping(), ping())
		s.finds(streamDesync)
	})
	t.Run("capture begins in a frame", func(t *testing.T) {
		s := newScene(t)
		c := &talk{Talk: s.tape.Midway(4000), scene: s}
		c.Send(wiremake.Client, garbage)
		c.client(ping(), ping(), ping())
		s.finds(streamDesync)
	})
}
