package diagnose

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
)

func TestFrameTooLarge(t *testing.T) {
	// large is a SEND of exactly so many bytes.
	large := func(size int) []byte {
		p := sendFrame(1, 0, "p", "")
		p.Body = make([]byte, size-len(p.Frame()))
		return p.Frame()
	}
	const limit = 20_000 + 10<<10 + 4
	for size, want := range map[int][]string{limit + 1: {"error " + topic + " p: | The client sent a SEND of 29.5 KiB | announced a largest message of 19.5 KiB"}, limit: nil} {
		s := newScene(t)
		c := s.tcp(4000)
		c.client(connectCommand(21))
		connected := connectedCommand(21)
		connected.Connected.MaxMessageSize = proto.Int32(20_000)
		c.broker(connected)
		c.producer(1, "p")
		c.Send(wiremake.Client, large(size))
		s.finds(frameTooLarge, want...)
	}
	s := newScene(t)
	c := s.conn(4000)
	for frame := large(5<<20 + 10<<10 + 5); len(frame) > 0; { // in segments that fit into a packet
		n := min(len(frame), 60_000)
		c.Send(wiremake.Client, frame[:n])
		frame = frame[n:]
	}
	s.finds(frameTooLarge, "error a SEND of 5.0 MiB; the default limit is 5.0 MiB")
}
