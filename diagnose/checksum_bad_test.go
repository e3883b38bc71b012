package diagnose

import (
	"testing"

	"pulsar-dissect/internal/wiremake"
)

func TestChecksumBad(t *testing.T) {
	t.Run("right", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.publish(1, 0, "p")
		s.finds(checksumBad)
	})
	t.Run("wrong from the start", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		bad := sendFrame(1, 0, "p", "hello")
		bad.Sum = wiremake.Bad
		c.Send(wiremake.Client, bad.Frame())
		s.finds(checksumBad, "error "+topic+" p: | SEND states checksum | No hop on which it was right")
	})
	t.Run("damaged between two hops", func(t *testing.T) {
		s := newScene(t)
		front, back := s.conn(4000), s.at(brokerB, 4001)
		front.producer(1, "p")
		back.producer(1, "p")
		good := sendFrame(1, 0, "p", "hello").Frame()
		front.Send(wiremake.Client, good)
		damaged := append([]byte(nil), good...)
		damaged[len(damaged)-1] ^= 1
		back.Send(wiremake.Client, damaged)
		s.finds(checksumBad, "error 10.0.0.1:4001-10.0.0.3:6650 | As SEND on 10.0.0.1:4000-10.0.0.2:6650, 1 ms before, the same entry was right")
	})
	t.Run("absent", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		none := sendFrame(1, 0, "p", "hello")
		none.Sum = wiremake.Absent
		c.Send(wiremake.Client, none.Frame())
		s.finds(checksumBad)
	})
}
