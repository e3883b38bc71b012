package reassembly

import (
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pulsar-dissect/capture"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/reassembly/segment"
)

// read gives events in few words: of which connection and side, what, where.
// Data that follows data of the same side is one.
func read(t testing.TB, l Limits, packets iter.Seq2[capture.Packet, error]) (out []string) {
	t.Helper()
	a := New(l, segment.NewParser(segment.Limits{}))
	last, data := "", ""
	flush := func() {
		if data != "" {
			out = append(out, last+data)
		}
		last, data = "", ""
	}
	for e, err := range a.Events(packets) {
		if err != nil {
			t.Fatal(err)
		}
		who := fmt.Sprintf("%d.%d ", e.Conn.ID, e.Side)
		if e.Kind == Data {
			if who != last {
				flush()
			}
			last, data = who, data+string(e.Data)
			continue
		}
		flush()
		switch e.Kind {
		case Gap:
			s := fmt.Sprintf("%sgap %d at %d, %s", who, e.Bytes, e.Offset, e.Cause)
			if e.Acked {
				s += ", acked"
			}
			out = append(out, s)
		case Conflict:
			out = append(out, fmt.Sprintf("%sconflict %d at %d", who, e.Bytes, e.Offset))
		case Ended:
			out = append(out, fmt.Sprintf("%d end", e.Conn.ID))
		}
	}
	if a.held != 0 || len(a.flows) != 0 {
		t.Errorf("%d bytes and %d flows are held at the end", a.held, len(a.flows))
	}
	return out
}

func holds(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

const (
	client = wiremake.Client
	server = wiremake.Server
)

// at moves the next byte that a side sends.
func at(c *wiremake.Talk, side int, isn uint32, offset int) *wiremake.Talk {
	c.Next[side] = isn + 1 + uint32(offset)
	return c
}

// Each case is what a capture shows and what the streams are.
func TestStreams(t *testing.T) {
	for _, x := range []struct {
		name string
		make func(t *wiremake.Tape)
		want []string
	}{
		{"in order", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			c.Send(client, []byte("ask"))
			c.Send(server, []byte("answer"))
			c.Close()
		}, []string{"0.0 ask", "0.1 answer", "0 end"}},
		{"reordered", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			at(c, client, 1000, 2).Send(client, []byte("cd"))
			at(c, client, 1000, 4).Send(client, []byte("ef"))
			at(c, client, 1000, 0).Send(client, []byte("ab"))
		}, []string{"0.0 abcdef", "0 end"}},
		{"retransmitted at other boundaries", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			c.Send(client, []byte("abc"), []byte("def"))
			at(c, client, 1000, 1).Send(client, []byte("bcdefgh"))
		}, []string{"0.0 abcdefgh", "0 end"}},
		{"overlap with other bytes, not yet released", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			at(c, client, 1000, 2).Send(client, []byte("cde"))
			at(c, client, 1000, 3).Send(client, []byte("DEF"))
			at(c, client, 1000, 0).Send(client, []byte("ab"))
		}, []string{"0.0 conflict 2 at 3", "0.0 abcdeF", "0 end"}},
		{"overlap with other bytes, released", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			c.Send(client, []byte("GOOD"))
			at(c, client, 1000, 0).Send(client, []byte("EVIL"))
			c.Send(client, []byte("!"))
		}, []string{"0.0 GOOD", "0.0 conflict 4 at 0", "0.0 !", "0 end"}},
		{"the peer's acknowledgement shows a loss", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			c.Send(client, []byte("VERY"))
			c.Lose(client, 4)
			c.Send(client, []byte("DATA"))
			c.Ack(server)
		}, []string{"0.0 VERY", "0.0 gap 4 at 4, capture, acked", "0.0 DATA", "0 end"}},
		{"a loss that nobody acknowledged", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			c.Lose(client, 4)
			c.Send(client, []byte("DATA"))
		}, []string{"0.0 gap 4 at 0, capture", "0.0 DATA", "0 end"}},
		{"a loss at the end, before the FIN", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			c.Send(client, []byte("DATA"))
			c.Lose(client, 4)
			c.FIN(client)
		}, []string{"0.0 DATA", "0.0 gap 4 at 4, capture", "0 end"}},
		{"a loss at the end, known by the acknowledgement", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			c.Send(client, []byte("DATA"))
			c.Lose(client, 4)
			c.Ack(server)
		}, []string{"0.0 DATA", "0.0 gap 4 at 4, capture, acked", "0 end"}},
		{"an acknowledgement of a FIN that was not captured", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			c.Send(client, []byte("DATA"))
			c.Lose(client, 1)
			c.Ack(server)
		}, []string{"0.0 DATA", "0 end"}},
		{"missing SYN", func(t *wiremake.Tape) {
			c := t.Midway(40000)
			c.Send(client, []byte("in the "), []byte("middle"))
			at(c, client, 1000, -4).Send(client, []byte("not in"))
		}, []string{"0.0 in the middle", "0 end"}},
		{"keep-alive probe with another byte", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			c.Send(client, []byte("ab"))
			at(c, client, 1000, 1).Send(client, []byte{0})
			c.Send(client, []byte("cd"))
		}, []string{"0.0 abcd", "0 end"}},
		{"half close", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			c.Send(client, []byte("ask"))
			c.FIN(client)
			c.Send(server, []byte("a long "), []byte("answer"))
			c.FIN(server)
		}, []string{"0.0 ask", "0.1 a long answer", "0 end"}},
		{"data behind the FIN", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			c.Send(client, []byte("ask"))
			c.FIN(client)
			at(c, client, 1000, 1).Send(client, []byte("skmore"))
		}, []string{"0.0 ask", "0 end"}},
		{"bytes on a RST are none of the stream", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			c.Send(client, []byte("ask"))
			s := c.Segment(server, []byte("unwelcome"))
			s.Flags = wiremake.RST | wiremake.ACK
			t.Add(s)
		}, []string{"0.0 ask", "0 end"}},
		{"every packet twice", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			c.Send(client, []byte("ask"))
			c.Send(server, []byte("answer"))
			c.Close()
			twice := slices.Clone(t.Packets[:0:0])
			for _, p := range t.Packets {
				twice = append(twice, p, p)
			}
			t.Packets = twice
		}, []string{"0.0 ask", "0.1 answer", "0 end"}},
		{"sequence numbers wrap", func(t *wiremake.Tape) {
			c := t.Midway(40000)
			c.SYN(client, 1<<32-3)
			c.Send(client, []byte("abc"), []byte("def"))
		}, []string{"0.0 abcdef", "0 end"}},
		{"the wrap within a segment, out of order", func(t *wiremake.Tape) {
			c := t.Midway(40000)
			c.SYN(client, 1<<32-5)
			isn := uint32(1<<32 - 5)
			at(c, client, isn, 8).Send(client, []byte("ij"))
			at(c, client, isn, 2).Send(client, []byte("cdefgh"))
			at(c, client, isn, 0).Send(client, []byte("ab"))
		}, []string{"0.0 abcdefghij", "0 end"}},
		{"4-tuple used again", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			c.Send(client, []byte("one"))
			c.SYN(client, 5_000_000)
			c.SYN(server, 7_000_000)
			c.Send(client, []byte("two"))
		}, []string{"0.0 one", "0 end", "1.0 two", "1 end"}},
		{"SYN captured twice", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			c.Send(client, []byte("one"))
			next := c.Next
			c.SYN(client, 1000)
			c.Next = next
			c.Send(client, []byte("two"))
		}, []string{"0.0 onetwo", "0 end"}},
		{"used again far away after the close, no SYN captured", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			c.Send(client, []byte("one"))
			c.RST(server)
			at(c, client, 900_000_000, 0).Send(client, []byte("two"))
		}, []string{"0.0 one", "0 end", "1.0 two", "1 end"}},
		{"SYN-ACK captured before the SYN", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			t.Packets[0], t.Packets[1] = t.Packets[1], t.Packets[0]
			c.Send(client, []byte("ask"))
		}, []string{"0.1 ask", "0 end"}},
		{"data on the SYN (fast open)", func(t *wiremake.Tape) {
			c := t.Midway(40000)
			s := c.Segment(client, []byte("early"))
			s.Flags = wiremake.SYN
			t.Add(s)
			c.Next[client] += 6
			c.Send(client, []byte(" bird"))
		}, []string{"0.0 early bird", "0 end"}},
		{"same addresses on two VLANs", func(t *wiremake.Tape) {
			one := t.Midway(40000)
			one.VLAN = 1
			one.SYN(client, 1000)
			two := t.Midway(40000)
			two.VLAN = 2
			two.SYN(client, 800_000_000)
			one.Send(client, []byte("one"))
			two.Send(client, []byte("two"))
			one.Send(client, []byte("One"))
		}, []string{"0.0 one", "1.0 two", "0.0 One", "0 end", "1 end"}},
		{"one connection with and without tags", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			s := c.Segment(client, []byte("tagged"))
			s.VLAN = 7
			t.Add(s)
			c.Send(client, []byte("tagged"), []byte(" or not"))
		}, []string{"0.0 tagged or not", "0 end"}},
		{"a wrong checksum fills what nothing else fills", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			c.Send(client, []byte("ab"))
			s := c.Segment(client, []byte("cd"))
			s.Check = wiremake.Wrong
			t.Add(s)
			c.Lose(client, 2)
			c.Send(client, []byte("ef"))
			c.Ack(server)
		}, []string{"0.0 abcdef", "0 end"}},
		{"a wrong checksum gives way to a right one", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			c.Send(client, []byte("ab"))
			s := c.Segment(client, []byte("XY"))
			s.Check = wiremake.Wrong
			t.Add(s)
			c.Send(client, []byte("cd"), []byte("ef"))
		}, []string{"0.0 abcdef", "0 end"}},
		{"all checksums wrong: the card makes them", func(t *wiremake.Tape) {
			c := t.Midway(40000)
			for _, b := range []string{"ab", "cd"} {
				s := c.Segment(client, []byte(b))
				s.Check = wiremake.Wrong
				t.Add(s)
				c.Lose(client, 2)
			}
		}, []string{"0.0 abcd", "0 end"}},
		{"checksums left to the card", func(t *wiremake.Tape) {
			c := t.Midway(40000)
			for _, b := range []string{"ab", "cd"} {
				s := c.Segment(client, []byte(b))
				s.Check = wiremake.Offloaded
				t.Add(s)
				c.Lose(client, 2)
			}
		}, []string{"0.0 abcd", "0 end"}},
		{"snap length", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			for range 2 {
				s := c.Segment(client, []byte("abcdef"))
				s.Cut = 2
				t.Add(s)
				c.Lose(client, 6)
			}
		}, []string{"0.0 abcd", "0.0 gap 2 at 4, snaplen", "0.0 abcd", "0.0 gap 2 at 10, snaplen", "0 end"}},
		{"a fuller copy of a cut segment", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			s := c.Segment(client, []byte("abcdef"))
			s.Cut = 2
			t.Add(s)
			c.Send(client, []byte("abcdef"), []byte("ghi"))
		}, []string{"0.0 abcdefghi", "0 end"}},
		{"the capture lacks 3 GB", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			c.Send(client, []byte("before"))
			c.Lose(client, 3_000_000_000)
			c.Send(client, []byte("after"), []byte(" it"))
		}, []string{"0.0 before", "0.0 gap 3000000000 at 6, capture", "0.0 after it", "0 end"}},
		{"zero windows", func(t *wiremake.Tape) {
			c := t.Talk(40000)
			c.Send(client, []byte("full"))
			s := c.Segment(server, nil)
			s.WindowIsZero = true
			t.Add(s)
			c.Send(client, []byte("?")) // the probe has the next byte
			t.Add(s)
			c.Send(client, []byte(" more"))
		}, []string{"0.0 full? more", "0 end"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			tape := wiremake.NewTape()
			x.make(tape)
			holds(t, read(t, Limits{}, wiremake.Overwriting(tape.Source())), x.want...)
		})
	}
}

// A hole is given up when it has been open for the hold time, and only then.
func TestHoldTime(t *testing.T) {
	for _, x := range []struct {
		after time.Duration
		want  []string
	}{
		{DefaultHoldTime - 5*time.Millisecond, []string{"0.0 ab", "0.0 cdef", "0 end"}},
		{DefaultHoldTime, []string{"0.0 ab", "0.0 gap 2 at 2, capture", "0.0 ef", "0 end"}},
	} {
		tape := wiremake.NewTape()
		c := tape.Talk(40000)
		c.Send(client, []byte("ab"))
		c.Lose(client, 2)
		c.Send(client, []byte("ef"))
		tape.Time += int64(x.after)
		tape.Talk(50000).FIN(client)                      // another connection lets time pass
		at(c, client, 1000, 2).Send(client, []byte("cd")) // and then the rest comes
		got := slices.DeleteFunc(read(t, Limits{}, tape.Source()), func(s string) bool { return s[0] == '1' })
		holds(t, got, x.want...)
	}
}

// A segment far away, of whatever origin, does not take the stream with it: the
// stream goes on where it stands, and the stray is left out.
func TestStray(t *testing.T) {
	for _, ahead := range []int{20 << 20, 900 << 20, 2_000_000_000, 3_100_000_000, -100 << 20, -900 << 20} {
		tape := wiremake.NewTape()
		c := tape.Talk(40000)
		c.Send(client, []byte("a"))
		s := c.Segment(client, []byte("stray"))
		s.Sequence += uint32(ahead)
		tape.Add(s)
		for range 100 {
			c.Send(client, []byte("b"))
			tape.Time += int64(time.Second)
		}
		holds(t, read(t, Limits{}, tape.Source()), "0.0 a"+strings.Repeat("b", 100), "0 end")
	}
}

// A loss of that size is none, though a packet at its edge comes late.
func TestLargeLossWithLatePacket(t *testing.T) {
	tape := wiremake.NewTape()
	c := tape.Talk(40000)
	c.Send(client, []byte("a"))
	late := c.Segment(client, []byte("b"))
	c.Lose(client, 1+30<<20)
	c.Send(client, []byte("c"))
	tape.Add(late)
	for range 30 {
		tape.Time += int64(5 * time.Second)
		c.Send(client, []byte("d"))
	}
	holds(t, read(t, Limits{}, tape.Source()), "0.0 ab", "0.0 gap 31457280 at 2, capture", "0.0 c"+strings.Repeat("d", 30), "0 end")
}

// A clock that a damaged record set to the end of time, or before its beginning,
// costs nothing but that nothing expires.
func TestClockAtItsEnds(t *testing.T) {
	for _, now := range []int64{math.MaxInt64, math.MaxInt64 - int64(time.Second), math.MinInt64} {
		tape := wiremake.NewTape()
		c := tape.Talk(40000)
		tape.Time = now - 20*apartNS
		for range 3 {
			c.Lose(client, 2)
			c.Send(client, []byte("ef"))
			c.Ack(server)
		}
		s := c.Segment(client, []byte("cut"))
		s.Cut = 1
		tape.Add(s)
		c.Close()
		for i := range tape.Packets {
			tape.Packets[i].Time = now
		}
		holds(t, read(t, Limits{}, tape.Source()), "0.0 gap 2 at 0, capture, acked", "0.0 ef", "0.0 gap 2 at 4, capture, acked", "0.0 ef",
			"0.0 gap 2 at 8, capture, acked", "0.0 efcu", "0 end")
	}
}

// A younger hole is not given up with an older one that was filled in time.
func TestHoldTimeOfEachHole(t *testing.T) {
	tape := wiremake.NewTape()
	c := tape.Talk(40000)
	at(c, client, 1000, 1).Send(client, []byte("b"))
	tape.Time += int64(DefaultHoldTime) - 10*apartNS
	at(c, client, 1000, 3).Send(client, []byte("d"))
	at(c, client, 1000, 0).Send(client, []byte("a"))
	tape.Time += 20 * apartNS
	at(c, client, 1000, 2).Send(client, []byte("c"))
	holds(t, read(t, Limits{}, tape.Source()), "0.0 abcd", "0 end")
}

const apartNS = int64(time.Millisecond)

// Bytes that the peer acknowledged may still come, where the capture has the
// packets in another order: they are waited for, not long.
func TestAckedBytesComeLate(t *testing.T) {
	for _, x := range []struct {
		packets int
		after   time.Duration
		want    string
	}{
		{lostPackets - 2, time.Minute / 2, "0.0 abcdef"},
		{200, DefaultAckedHoldTime / 2, "0.0 abcdef"},
		{lostPackets, DefaultAckedHoldTime, "0.0 gap 2 at 2, capture, acked"},
	} {
		tape := wiremake.NewTape()
		c := tape.Talk(40000)
		c.Send(client, []byte("ab"))
		c.Lose(client, 2)
		c.Send(client, []byte("ef"))
		c.Ack(server)
		for range x.packets {
			tape.Time += int64(x.after)/int64(x.packets) - apartNS
			c.Ack(server)
		}
		at(c, client, 1000, 2).Send(client, []byte("cd"))
		if got := read(t, Limits{}, tape.Source()); !slices.Contains(got, x.want) {
			t.Errorf("%d packets and %v later: got %q, want %q", x.packets, x.after, got, x.want)
		}
	}
}

// Loss in the stream's every window is given up as it goes, not at the end:
// memory for a lossy capture does not grow with its length.
func TestSteadyLoss(t *testing.T) {
	for _, cut := range []bool{false, true} {
		tape := wiremake.NewTape()
		c := tape.Talk(40000)
		for range 20000 {
			s := c.Segment(client, make([]byte, 100))
			if cut {
				s.Cut = 50
			}
			tape.Add(s)
			c.Lose(client, 110)
			c.Ack(server)
		}
		a := New(Limits{}, segment.NewParser(segment.Limits{}))
		gaps := int64(0)
		for e := range a.Events(tape.Source()) {
			if e.Kind == Gap {
				gaps += e.Bytes
			}
		}
		lost := int64(20000 * 10)
		if cut {
			lost = 20000 * 60
		}
		if n := a.Counters().HeldBytesHighest; n > 1<<19 || a.Counters().HeldLimit > 0 || gaps != lost {
			t.Errorf("cut %v: up to %d bytes held, limits %+v, %d bytes in gaps, want %d", cut, n, a.Counters(), gaps, lost)
		}
	}
}

// A closed connection takes late packets for a while, and then is let go.
func TestLinger(t *testing.T) {
	for _, x := range []struct {
		after time.Duration
		want  []string
	}{
		{DefaultLinger - 10*time.Millisecond, []string{"0.0 ab", "0 end", "1 end"}},
		{DefaultLinger, []string{"0.0 ab", "0 end", "2.0 b", "1 end", "2 end"}},
	} {
		tape := wiremake.NewTape()
		c := tape.Talk(40000)
		c.Send(client, []byte("ab"))
		c.Close()
		tape.Time += int64(x.after)
		tape.Talk(50000) // another connection lets time pass
		at(c, client, 1000, 1).Send(client, []byte("b"))
		holds(t, read(t, Limits{}, tape.Source()), x.want...)
	}
}

// What a connection says of itself.
func TestConnStats(t *testing.T) {
	tape := wiremake.NewTape()
	c := tape.Talk(40000)
	c.Send(client, []byte("abc"), []byte("def"))
	at(c, client, 1000, 0).Send(client, []byte("abc")) // retransmitted
	at(c, client, 1000, 9).Send(client, []byte("jkl")) // out of order
	c.Ack(server)
	c.FIN(client)
	s := c.Segment(server, nil)
	s.WindowIsZero = true
	tape.Add(s)
	c.RST(server)
	var got *Conn
	for e := range New(Limits{}, segment.NewParser(segment.Limits{})).Events(tape.Source()) {
		got = e.Conn
		if e.Kind == Ended && !e.Conn.Closed() {
			t.Error("not closed")
		}
	}
	st := got.Sides[0]
	if st.Bytes != 9 || st.Packets != 6 || st.Retransmitted != 1 || st.OutOfOrder != 1 || st.GapBytes != 3 || st.Conflicts != 0 {
		t.Errorf("client: %+v", st)
	}
	if st := got.Sides[1]; st.Bytes != 0 || st.Packets != 4 || st.ZeroWindows != 1 {
		t.Errorf("server: %+v", st)
	}
	if got.SYNFrom != 0 || got.FINFrom != 0 || got.RSTFrom != 1 || !got.Closed() || !got.Finished(0) || got.Finished(1) || !got.StartKnown(0) {
		t.Errorf("SYN %d, FIN %d, RST %d", got.SYNFrom, got.FINFrom, got.RSTFrom)
	}
	if got.First.Packet != 1 || got.Last.Packet != 10 {
		t.Errorf("from packet %d to %d", got.First.Packet, got.Last.Packet)
	}
}

// open gives the packets of a capture.
func open(t testing.TB, elem ...string) iter.Seq2[capture.Packet, error] {
	t.Helper()
	path := filepath.Join(elem...)
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	src, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	})
	return src.Packets()
}
