package diagnose

import (
	"testing"
	"time"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
)

func TestZeroWindow(t *testing.T) {
	for wait, want := range map[time.Duration][]string{
		3 * time.Second:        {"warning 10.0.0.1:4000-10.0.0.2:6650 " + topic + " sub c: Window 0: the client takes no data | took nothing for 3.0 s"},
		2 * time.Second:        {"info Window 0: the client"},
		400 * time.Millisecond: nil,
	} {
		s := newScene(t)
		c := s.conn(4000)
		c.consumer(1, pb.CommandSubscribe_Shared, "c")
		full := c.Segment(wiremake.Client, nil)
		full.WindowIsZero = true
		s.tape.Add(full)
		s.wait(wait)
		c.Ack(wiremake.Client)
		s.finds(tcpStall, want...)
	}
}

func TestResentSegment(t *testing.T) {
	for times, want := range map[int][]string{
		3: {"warning Segment of the client sent again and again | 3 times within"},
		2: nil,
	} {
		s := newScene(t)
		c := s.conn(4000)
		again := c.Segment(wiremake.Client, wiremake.Frame(ping()))
		c.client(ping())
		for range times {
			s.wait(200 * time.Millisecond)
			s.tape.Add(again)
		}
		s.finds(tcpStall, want...)
	}
}
