package diagnose

import (
	"testing"
	"time"

	"pulsar-dissect/internal/wiremake"
)

func TestCaptureQuality(t *testing.T) {
	t.Run("whole", func(t *testing.T) {
		s := newScene(t)
		s.conn(4000).Close()
		s.finds(captureQuality)
	})
	t.Run("gap", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.Lose(wiremake.Client, 50)
		c.client(ping(), ping())
		c.Close()
		s.finds(captureQuality, "warning Bytes are missing from the capture | 1 gap, 50 bytes in all")
	})
	t.Run("one direction", func(t *testing.T) {
		s := newScene(t)
		c := s.tape.Midway(4000)
		c.SYN(wiremake.Client, 1000)
		c.Send(wiremake.Client, wiremake.Frame(connectCommand(21)))
		s.finds(captureQuality, "warning One direction only | Of 1 connection")
	})
	t.Run("without SYN", func(t *testing.T) {
		s := newScene(t)
		c := &talk{Talk: s.tape.Midway(4000), scene: s}
		c.connect()
		c.client(ping(), ping())
		s.finds(captureQuality, "info began before the capture")
	})
	t.Run("cut packets", func(t *testing.T) {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		cut := c.Segment(wiremake.Client, sendFrame(1, 0, "p", "hello").Frame())
		cut.Cut = 3
		s.tape.Add(cut)
		c.Next[wiremake.Client] += uint32(len(cut.Payload))
		c.client(ping())
		s.finds(captureQuality, "warning cut by the snap length | 1 gap")
	})
	t.Run("twice", func(t *testing.T) {
		for copies, want := range map[int][]string{2: {"info captured twice | 2 of 10 segments"}, 1: nil} {
			s := newScene(t)
			c := s.conn(4000)
			for i := range 6 {
				again := c.Segment(wiremake.Client, wiremake.Frame(ping()))
				c.client(ping())
				if i < copies {
					s.wait(-999 * time.Microsecond)
					s.tape.Add(again)
				}
			}
			s.finds(captureQuality, want...)
		}
	})
	t.Run("clock", func(t *testing.T) {
		for back, want := range map[time.Duration][]string{2 * time.Second: {"info clock stepped back | by 2.0 s at most"}, time.Second: nil} {
			s := newScene(t)
			c := s.conn(4000)
			s.wait(-back)
			c.client(ping())
			s.finds(captureQuality, want...)
		}
	})
	t.Run("TLS without keys", func(t *testing.T) {
		s := newScene(t)
		c := s.to("10.0.0.2:6651", 4000)
		c.Send(wiremake.Client, clientHello())
		c.Send(wiremake.Server, []byte("\x16\x03\x03\x00\x05hello"))
		s.finds(captureQuality, "warning TLS without keys | 1 TLS connection could not be read for lack of keys")
		s.conn(4001).client(ping())
		s.finds(captureQuality, "info TLS without keys | 1 TLS connection")
	})
}
