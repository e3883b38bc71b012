package decode

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
)

// mixed is a stream of a client as clients send them, and where each frame
// ends.
func mixed() (stream []byte, ends []int) {
	add := func(b []byte) {
		stream = append(stream, b...)
		ends = append(ends, len(stream))
	}
	add(wiremake.Frame(connect()))
	for i := range uint64(4) {
		add(wiremake.Frame(wiremake.Filled(pb.BaseCommand_PRODUCER, i)))
		add(send(i, strings.Repeat("body ", int(i)*9)).Frame())
		add(wiremake.Frame(flow(uint32(i))))
		p := send(i, "no checksum")
		p.Sum = wiremake.Absent
		add(p.Frame())
		add(wiremake.Frame(ping()))
		add(wiremake.Frame(wiremake.Filled(pb.BaseCommand_ACK, i)))
		p.Sum = wiremake.Bad
		add(p.Frame())
		add(wiremake.Frame(wiremake.Filled(pb.BaseCommand_LOOKUP, i)))
	}
	return stream, ends
}

// TestGapAnywhere loses bytes at every position of a stream. Every frame before
// the gap is found, and every one that begins behind the place where reading
// can go on; the one in the gap is there as far as it was captured; nothing
// else is.
func TestGapAnywhere(t *testing.T) {
	stream, ends := mixed()
	for _, lost := range []int{1, 5, 60, 400} {
		for gap := 1; gap+lost < len(stream); gap++ {
			if testing.Short() && gap%7 > 0 {
				continue
			}
			tape, c := talk()
			c.Send(client, stream[:gap])
			c.Lose(client, lost)
			c.Send(client, stream[gap+lost:])
			c.Ack(server)
			checkGap(t, decodeAll(t, Limits{}, nil, tape.Source()), stream, ends, gap, gap+lost)
		}
	}
}

// checkGap compares with what is known by construction.
func checkGap(t *testing.T, got *seen, stream []byte, ends []int, from, to int) {
	t.Helper()
	var want []string
	resume := -1 // where reading goes on
	for i, end := range ends {
		start := 0
		if i > 0 {
			start = ends[i-1]
		}
		command := start + headerSize + int(bigEndian(stream[start+sizeField:]))
		switch {
		case end <= from:
			want = append(want, fmt.Sprintf("%d+%d", start, end-start))
		case start < from:
			if command <= from {
				want = append(want, fmt.Sprintf("%d+%d have %d", start, end-start, from-start))
			}
			if from-start >= sizeField && end >= to {
				resume = end
			}
		case start >= to && (resume < 0 || start >= resume):
			want = append(want, fmt.Sprintf("%d+%d", start, end-start))
		}
	}
	var have []string
	for _, f := range got.frames {
		s := fmt.Sprintf("%d+%d", f.Offset, f.Size)
		if f.Incomplete {
			s += fmt.Sprintf(" have %d", f.Have)
		}
		have = append(have, s)
	}
	if !slices.Equal(have, want) {
		t.Fatalf("gap from %d to %d: got\n%q\nwant\n%q\n%q", from, to, have, want, got.events)
	}
}

// The same, with the bytes behind the gap in small segments, so that a decision
// has to be made before all is there.
func TestGapAnywhereInPieces(t *testing.T) {
	stream, ends := mixed()
	r := rand.New(rand.NewPCG(1, 2))
	for range 1500 {
		gap := 1 + r.IntN(len(stream)-2)
		to := gap + 1 + r.IntN(min(300, len(stream)-gap-1))
		tape, c := talk()
		c.Send(client, stream[:gap])
		c.Lose(client, to-gap)
		for rest := stream[to:]; len(rest) > 0; {
			n := min(1+r.IntN(40), len(rest))
			c.Send(client, rest[:n])
			rest = rest[n:]
		}
		c.Ack(server)
		checkGap(t, decodeAll(t, Limits{}, nil, tape.Source()), stream, ends, gap, to)
	}
}

// Capture that begins in the middle: at every byte of the stream, the first
// frame that begins there or later is the first found.
func TestStartAnywhere(t *testing.T) {
	stream, ends := mixed()
	for start := 1; start < ends[len(ends)-3]; start++ {
		tape := wiremake.NewTape()
		c := tape.Midway(40000)
		c.Send(client, stream[start:])
		got := decodeAll(t, Limits{}, nil, tape.Source())
		i, _ := slices.BinarySearch(ends, start)
		if len(got.frames) != len(ends)-1-i || got.frames[0].Offset != int64(ends[i]-start) {
			t.Fatalf("from byte %d: %d frames, want %d; %q", start, len(got.frames), len(ends)-1-i, got.events)
		}
	}
}

// One direction alone is enough.
func TestOneDirection(t *testing.T) {
	for side, want := range [][]string{{"CONNECT", "FLOW", "PING"}, {"CONNECTED", "SUCCESS"}} {
		tape, c := talk()
		tape.Packets = nil
		if side == client {
			c.Send(client, wiremake.Frame(connect()), wiremake.Frame(flow(1)), wiremake.Frame(ping()))
		} else {
			c.Send(server, wiremake.Frame(connected(0)), wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_SUCCESS.Enum(),
				Success: &pb.CommandSuccess{RequestId: ptr(uint64(1))}}))
		}
		got := decodeAll(t, Limits{}, nil, tape.Source())
		if names := got.names(); len(names) != len(want) || !strings.HasPrefix(names[0], want[0]) || got.frames[0].Direction != Direction(side) {
			t.Errorf("side %d: %q, %q", side, names, got.events)
		}
	}
}

// Frames in a payload must not attract the search after a loss before it.
func TestFramesInPayload(t *testing.T) {
	inner := wiremake.Frame(flow(666))
	big := send(1, strings.Repeat("q", 50)+strings.Repeat(string(inner), 3)+strings.Repeat("r", 500)).Frame()
	tape, c := talk()
	c.Send(client, wiremake.Frame(connect()), wiremake.Frame(flow(1)))
	c.Lose(client, 40)
	c.Send(client, big[40:])
	for i := range uint32(4) {
		c.Send(client, wiremake.Frame(flow(2+i)))
	}
	got := decodeAll(t, Limits{}, nil, tape.Source())
	holds(t, "frames", got.names(), []string{"CONNECT", "FLOW", "FLOW resync", "FLOW", "FLOW", "FLOW"})
	for _, f := range got.frames {
		if strings.Contains(f.Command, "666") {
			t.Errorf("a frame of the payload: %+v", f)
		}
	}
}

// Where frames break off again and again, those that are proven are taken all
// the same, though not before the search has given up to find better.
func TestFallback(t *testing.T) {
	tape := wiremake.NewTape()
	c := tape.Midway(40000)
	island := slices.Concat(wiremake.Frame(flow(1)), wiremake.Frame(flow(2)), []byte("\xff\xff\xff\xff\xff\xff\xff\xff"))
	c.Send(client, []byte("rest of something"), island)
	noise := []byte(strings.Repeat("no frames here. ", 64))
	for range 2 * searchKept / len(noise) {
		c.Send(client, noise)
	}
	got := decodeAll(t, Limits{}, nil, tape.Source())
	holds(t, "frames", got.names(), []string{"FLOW resync", "FLOW"})
}

// A cut frame whose stated end the capture passes over: reading goes on there
// exactly, also over a gap of its own.
func TestGapsInOneFrame(t *testing.T) {
	frame := send(1, strings.Repeat("x", 1000)).Frame()
	tape, c := talk()
	c.Send(client, wiremake.Frame(connect()), frame[:300])
	c.Lose(client, 100)
	c.Send(client, frame[400:500])
	c.Lose(client, 50)
	c.Send(client, frame[550:], wiremake.Frame(ping()))
	c.Ack(server)
	got := decodeAll(t, Limits{}, nil, tape.Source())
	holds(t, "frames", got.names(), []string{"CONNECT", "SEND have 300", "PING resync"})
	if f := got.frames[1]; f.Size != int64(len(frame)) || f.Checksum != NoChecksum || !f.HasMeta || f.Last != 4 {
		t.Errorf("%+v", f)
	}
	holds(t, "events", got.events, []string{
		fmt.Sprintf("c2s gap 100 at %d", len(wiremake.Frame(connect()))+300),
		fmt.Sprintf("c2s gap 50 at %d", len(wiremake.Frame(connect()))+500), "end pulsar CONNECT"})
}

// A hostile size in the frame that the gap cut does not swallow what follows.
func TestGapInFrameOfHostileSize(t *testing.T) {
	for _, head := range [][]byte{
		wiremake.Sized(200<<20, 10, 8, 1),
		wiremake.Sized(200<<20, 10)[:6],
		{0x0c, 0, 0, 0},
	} {
		tape, c := talk()
		c.Send(client, wiremake.Frame(connect()), head)
		c.Lose(client, 30)
		c.Send(client, wiremake.Frame(flow(1)), wiremake.Frame(flow(2)), wiremake.Frame(flow(3)))
		c.Ack(server)
		got := decodeAll(t, Limits{}, nil, tape.Source())
		holds(t, fmt.Sprintf("%x", head), got.names(), []string{"CONNECT", "FLOW resync", "FLOW", "FLOW"})
	}
}
