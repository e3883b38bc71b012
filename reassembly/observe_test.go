package reassembly_test

import (
	"testing"
	"time"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
)

// onlyConn plays a tape and gives its only connection.
func onlyConn(t *testing.T, tape *wiremake.Tape) (c *reassembly.Conn) {
	t.Helper()
	for e := range reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{})).Events(tape.Source()) {
		c = e.Conn
	}
	if c == nil || c.ID != 0 {
		t.Fatalf("got %+v", c)
	}
	return c
}

func TestZeroWindowLasts(t *testing.T) {
	tape := wiremake.NewTape()
	c := tape.Talk(4000)
	full := c.Segment(wiremake.Client, nil)
	full.WindowIsZero = true
	tape.Add(full) // packet 3
	tape.Time += int64(2 * time.Second)
	c.Ack(wiremake.Server) // a probe
	tape.Time += int64(time.Second)
	c.Ack(wiremake.Client) // packet 5: room again
	tape.Time += int64(time.Minute)
	c.Ack(wiremake.Server)
	z := onlyConn(t, tape).Sides[wiremake.Client].ZeroWindow
	if z.From.Packet != 3 || z.To.Packet != 5 || z.Duration() != int64(3*time.Second+2*time.Millisecond) {
		t.Errorf("packets %d to %d, %v", z.From.Packet, z.To.Packet, time.Duration(z.Duration()))
	}
}

// A probe shows that the window is 0 still.
func TestZeroWindowToTheEnd(t *testing.T) {
	tape := wiremake.NewTape()
	c := tape.Talk(4000)
	full := c.Segment(wiremake.Client, nil)
	full.WindowIsZero = true
	tape.Add(full)
	tape.Time += int64(4 * time.Second)
	c.Ack(wiremake.Server)
	z := onlyConn(t, tape).Sides[wiremake.Client].ZeroWindow
	if z.To.Packet != 4 || z.Duration() != int64(4*time.Second+time.Millisecond) {
		t.Errorf("to packet %d, %v", z.To.Packet, time.Duration(z.Duration()))
	}
}

func TestResentAndTwice(t *testing.T) {
	tape := wiremake.NewTape()
	c := tape.Talk(4000)
	again := c.Segment(wiremake.Client, []byte("hello"))
	c.Send(wiremake.Client, []byte("hello")) // packet 3
	tape.Time -= 999_000                     // 1 µs after it
	tape.Add(again)                          // packet 4: the same one
	for range 3 {
		tape.Time += int64(200 * time.Millisecond)
		tape.Add(again) // packets 5 to 7
	}
	c.Send(wiremake.Client, []byte("world"))
	st := onlyConn(t, tape).Sides[wiremake.Client]
	if st.Segments != 6 || st.Twice != 1 || st.Resent.Times != 3 || st.Resent.First.Packet != 5 || st.Resent.Last.Packet != 7 {
		t.Errorf("%d segments, %d twice, resent %+v", st.Segments, st.Twice, st.Resent)
	}
}

// Keep-alive probes, with a byte that was there already, are no repetition.
func TestProbesAreNotResent(t *testing.T) {
	tape := wiremake.NewTape()
	c := tape.Talk(4000)
	c.Send(wiremake.Client, []byte("hello"))
	for range 4 {
		tape.Time += int64(time.Second)
		p := c.Segment(wiremake.Client, []byte("o"))
		p.Sequence--
		tape.Add(p)
	}
	if n := onlyConn(t, tape).Sides[wiremake.Client].Resent.Times; n != 0 {
		t.Errorf("resent %d times", n)
	}
}

func TestClosing(t *testing.T) {
	tape := wiremake.NewTape()
	c := tape.Talk(4000)
	c.Send(wiremake.Client, []byte("hello"))
	c.FIN(wiremake.Server) // packet 4
	c.RST(wiremake.Client)
	if got := onlyConn(t, tape); got.Closing.Packet != 4 || got.FINFrom != wiremake.Server {
		t.Errorf("closing in packet %d, FIN from %d", got.Closing.Packet, got.FINFrom)
	}
}

func TestBackwards(t *testing.T) {
	tape := wiremake.NewTape()
	c := tape.Talk(4000)
	c.Send(wiremake.Client, []byte("hello"))
	tape.Time -= int64(7 * time.Second)
	c.Send(wiremake.Client, []byte("world"))
	if got, want := onlyConn(t, tape).Backwards, int64(7*time.Second)-1_000_000; got != want {
		t.Errorf("%v, expected %v", time.Duration(got), time.Duration(want))
	}
}
