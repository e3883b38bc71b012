package decode

import (
	"bytes"
	"encoding/binary"
	"iter"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pulsar-dissect/capture"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
)

// run gives packets to a decoder and calls look after each.
func run(d *Decoder, packets iter.Seq[wiremake.Segment], look func()) {
	a := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{}))
	source := func(yield func(capture.Packet, error) bool) {
		n := uint64(0)
		for s := range packets {
			n++
			if !yield(s.Packet(n, wiremake.Start+int64(n)*1e6), nil) {
				return
			}
			look()
		}
	}
	for range d.Events(a.Events(source)) {
	}
}

// pieces sends bytes in segments of so many.
func pieces(c *wiremake.Talk, side, size int, b []byte) iter.Seq[wiremake.Segment] {
	return func(yield func(wiremake.Segment) bool) {
		for p := range slices.Chunk(b, size) {
			if !yield(c.Segment(side, p)) {
				return
			}
			c.Lose(side, len(p))
		}
	}
}

// A size that is only stated allocates nothing.
func TestStatedSizeAllocatesNothing(t *testing.T) {
	for _, head := range [][]byte{
		wiremake.Sized(5<<20, 4, 8, 18, 0x92, 1), // a PING in 5 MiB: believed
		wiremake.Sized(250<<20, 4, 8, 18, 0x92, 1),
		wiremake.Sized(5<<20, 5<<20-4, 8, 18),
		wiremake.Sized(0xffffffff, 4, 8, 18),
		send(1, "").Frame()[:30],
		metadataSize(0xffffffff),
		batchOf(1<<30, nil),
	} {
		_, c := talk()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		run(New(Limits{}, nil), func(yield func(wiremake.Segment) bool) {
			syn := c.Segment(client, nil)
			syn.Sequence, syn.Flags = syn.Sequence-1, wiremake.SYN
			_ = yield(syn) && yield(c.Segment(client, slices.Concat(wiremake.Frame(connect()), head)))
		}, func() {})
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%x...: %d bytes allocated", head[:10], n)
		}
	}
}

// metadataSize is a SEND whose metadata has a stated size.
func metadataSize(n uint32) []byte {
	return wiremake.Raw(wiremake.Bytes(send(1, "").Command), binary.BigEndian.AppendUint32(nil, n)...)
}

// batchOf is a SEND of a batch of so many messages.
func batchOf(n int32, body []byte) []byte {
	p := send(1, string(body))
	p.Metadata.NumMessagesInBatch = ptr(n)
	return p.Frame()
}

// A stream in which each of many places looks like the start of a command of
// megabytes is searched in time.
func TestManyLargeCandidates(t *testing.T) {
	// two sizes, the type of CONNECTED, and an unknown fixed field that holds the next two sizes
	pattern := append(wiremake.Sized(0x004ff000, 0x004fe000), 0x08, 0x03, 0x79)
	testkit.Linear(t, func(size int) {
		b := bytes.Repeat(pattern, size*(6<<20)/len(pattern))
		run(New(Limits{}, nil), pieces(wiremake.NewTape().Midway(40000), client, 1400, b), func() {})
	})
}

// Frames in a row that break off, again and again, cost one look each.
func TestManyShortChains(t *testing.T) {
	island := append(bytes.Repeat(wiremake.Frame(ping()), 3000), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
	testkit.Linear(t, func(size int) {
		c := wiremake.NewTape().Midway(40000)
		run(New(Limits{}, nil), pieces(c, client, len(island)+1, bytes.Repeat(island, 10*size)), func() {})
	})
}

// Bytes one by one on the port of bookies, of neither protocol: each is looked
// at once.
func TestForeignBytesOneByOne(t *testing.T) {
	for _, fill := range []byte{0, 'x', 2} {
		testkit.Linear(t, func(size int) {
			c := wiremake.NewTape().Midway(40000)
			c.Ends[server] = netip.MustParseAddrPort("10.0.0.2:3181")
			run(New(Limits{}, nil), pieces(c, client, 1, bytes.Repeat([]byte{fill}, 30_000*size)), func() {})
		})
	}
}

// A large frame without proof of its own, in small segments, is not checked
// with each of them.
func TestLargeCandidateInPieces(t *testing.T) {
	testkit.Linear(t, func(size int) {
		p := send(1, strings.Repeat("x", size<<20))
		p.Sum = wiremake.Bad
		c := wiremake.NewTape().Midway(40000)
		run(New(Limits{}, nil), pieces(c, client, 500, slices.Concat(p.Frame(), p.Frame(), p.Frame())), func() {})
	})
}

// A frame far above the limit, proven by a command of megabytes, in small
// segments: its command is walked once.
func TestHugeFrameInPieces(t *testing.T) {
	testkit.Linear(t, func(size int) {
		command := wiremake.Bytes(send(1, "").Command)
		for range 75_000 * size {
			command = append(command, 0xfd, 0x7f, 1, 2, 3, 4) // unknown fields of 4 bytes
		}
		frame := wiremake.Sized(100<<20, uint32(len(command)), command...)
		c := wiremake.NewTape().Midway(40000)
		run(New(Limits{}, []uint16{6650}), func(yield func(wiremake.Segment) bool) {
			syn := c.Segment(client, nil)
			syn.Sequence, syn.Flags = syn.Sequence-1, wiremake.SYN
			if !yield(syn) {
				return
			}
			for s := range pieces(c, client, 1000, append(frame, make([]byte, size*(2<<20))...)) {
				if !yield(s) {
					return
				}
			}
		}, func() {})
	})
}

// What a connection that is no Pulsar leaves in the queue does not grow with
// its length, nor does it make it Pulsar.
func TestForeignConnectionHoldsLittle(t *testing.T) {
	for name, first := range map[string]string{
		"tls": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "http": "GET / HTTP/1.1\r\n\r\n", "unknown": "SSH-2.0-OpenSSH_9.6\r\n",
	} {
		d := New(Limits{Held: 1 << 20}, nil)
		longest := 0
		var conn *Conn
		a := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{}))
		tape := wiremake.NewTape()
		c := tape.Talk(40000)
		c.Send(client, []byte(first))
		for range 6000 {
			c.Lose(client, 3)
			c.Send(client, []byte(strings.Repeat("\x88noise ", 40)))
			tape.Time += 1e8
			c.Ack(server)
		}
		c.Close()
		source := func(yield func(capture.Packet, error) bool) {
			for _, p := range tape.Packets {
				if !yield(p, nil) {
					return
				}
				if conn != nil {
					longest = max(longest, conn.queue.len())
				}
			}
		}
		spied := func(yield func(*reassembly.Event, error) bool) {
			for e, err := range a.Events(source) {
				if !yield(e, err) {
					return
				}
				if e.Kind != reassembly.Ended {
					conn, _ = e.Conn.State.(*Conn)
				}
			}
		}
		var said []Kind
		var protocol Protocol
		for e := range d.Events(spied) {
			said, protocol = append(said, e.Kind), e.Conn.Protocol
		}
		if longest > 4096 || len(said) != 1 || protocol.String() != name || d.Counters().HeldLimit != 0 {
			t.Errorf("%s: up to %d events in the queue, then %d events, protocol %v, counters %+v", name, longest, len(said), protocol, d.Counters())
		}
	}
}

// One direction that waits for ever to be understood does not hold the other
// one back for ever: by time, and by what that takes.
func TestOtherDirectionIsLetGo(t *testing.T) {
	for _, x := range []struct {
		name   string
		limits Limits
		apart  time.Duration
		hits   uint64
	}{
		{"by time", Limits{}, 10 * time.Second, 1},
		{"by bytes", Limits{Held: 16 << 10}, 0, 1},
	} {
		tape := wiremake.NewTape()
		c := tape.Midway(40000)
		c.Send(server, wiremake.Frame(connected(0)), wiremake.Frame(connected(0)))
		c.Send(client, []byte("\x00\x00\x40\x00\x00\x00\x3f\x00\x08\x02 a candidate of which the rest never comes"))
		for range 100 {
			tape.Time += int64(x.apart)
			c.Send(server, wiremake.Frame(ping()), wiremake.Frame(flow(1)))
		}
		d := New(x.limits, nil)
		a := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{}))
		now, late := uint64(0), uint64(0)
		source := func(yield func(capture.Packet, error) bool) {
			for _, p := range tape.Packets {
				now = p.Number
				if !yield(p, nil) {
					return
				}
			}
			now = 0
		}
		frames, last := 0, uint64(0)
		for e := range d.Events(a.Events(source)) {
			if e.Kind != FrameSeen {
				continue
			}
			frames++
			if e.Frame.Last.Packet < last {
				t.Errorf("%s: packet %d after packet %d", x.name, e.Frame.Last.Packet, last)
			}
			last = e.Frame.Last.Packet
			if now > 0 {
				late = max(late, now-e.Frame.Last.Packet)
			}
		}
		if frames != 202 || late > 180 || late == 0 || d.Counters().HeldLimit < x.hits {
			t.Errorf("%s: %d frames, up to %d packets late, counters %+v", x.name, frames, late, d.Counters())
		}
	}
}

// Bytes one by one: what is remembered of their packets has a limit.
func TestSpansHaveALimit(t *testing.T) {
	frame := send(1, strings.Repeat("x", 200_000)).Frame()
	tape, c := talk()
	c.Send(client, wiremake.Frame(connect()))
	for _, b := range frame {
		c.Send(client, []byte{b})
	}
	var longest int
	var conn *Conn
	d := New(Limits{}, nil)
	a := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{}))
	spied := func(yield func(*reassembly.Event, error) bool) {
		for e, err := range a.Events(tape.Source()) {
			if !yield(e, err) {
				return
			}
			if e.Kind != reassembly.Ended {
				conn, _ = e.Conn.State.(*Conn)
				longest = max(longest, len(conn.streams[0].spans))
			}
		}
	}
	frames := 0
	for e := range d.Events(spied) {
		if e.Kind == FrameSeen {
			if frames++; frames == 2 && (e.Frame.First.Packet != 4 || e.Frame.Last.Packet != uint64(3+len(frame))) {
				t.Errorf("from packet %d to %d", e.Frame.First.Packet, e.Frame.Last.Packet)
			}
		}
	}
	if longest > mostSpans || frames != 2 {
		t.Errorf("%d spans, %d frames", longest, frames)
	}
}
