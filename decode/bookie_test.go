package decode_test

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	protobuf "google.golang.org/protobuf/proto"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
)

// entryOf is entry n of ledger 7, with a message.
func entryOf(n int64) wiremake.StoredEntry {
	m := wiremake.Payload{Command: &pb.BaseCommand{Type: pb.BaseCommand_SEND.Enum()}, Body: []byte(fmt.Sprintf("payload %d", n)),
		Metadata: &pb.MessageMetadata{ProducerName: protobuf.String("p"), SequenceId: protobuf.Uint64(uint64(n)), PublishTime: protobuf.Uint64(1)}}
	return wiremake.StoredEntry{Ledger: 7, Entry: n, LastAddConfirmed: n - 1, Length: 40 * (n + 1), Body: m.Section()}
}

func addRequest(n int64) []byte {
	return wiremake.Bookie2(1, 0, make([]byte, 20), entryOf(n).Bytes())
}

func addResponse(n int64) []byte { return wiremake.Bookie2(1, 0, uint32(0), 7, int(n)) }

// told gives what the decoder tells of a tape, a line an event.
func told(t *testing.T, tape *wiremake.Tape, ports ...uint16) (lines []string) {
	t.Helper()
	events := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{})).Events(wiremake.Overwriting(tape.Source()))
	for e, err := range decode.New(decode.Limits{}, ports).Events(events) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line(e))
	}
	return lines
}

func line(e *decode.Event) string {
	at := fmt.Sprintf("%s %d ", e.Direction, e.Offset)
	switch e.Kind {
	case decode.FrameSeen:
		return at + e.Frame.TypeName()
	case decode.BookieSeen:
		f := e.Bookie
		at += fmt.Sprintf("%s %d:%d", f.Op, f.Ledger, f.Entry)
		for i := range f.Stored {
			entry, ok := f.ReadStored(i)
			at += fmt.Sprintf(" %s %t %s", f.Stored[i].Verdict, ok, entry.Payload)
		}
		if f.Incomplete {
			at += fmt.Sprintf(" cut at %d of %d", f.Have, f.Size)
		}
		if f.Resync {
			at += " again"
		}
		f.EachIssue(func(issue string) { at += " !" + issue })
		return at
	case decode.BytesSkipped:
		return at + fmt.Sprintf("skipped %d", e.Bytes)
	case decode.GapSeen:
		return at + fmt.Sprintf("gap %d", e.Bytes)
	case decode.ConnectionEnd:
		return e.Conn.Name + " " + e.Conn.Protocol.String() + " " + e.Conn.RoleFrom
	}
	return at + "?"
}

// on moves the server of a connection to another port.
func on(c *wiremake.Talk, port uint16) *wiremake.Talk {
	c.Ends[wiremake.Server] = netip.AddrPortFrom(c.Ends[wiremake.Server].Addr(), port)
	return c
}

func compareLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n\t%s\nexpected\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func TestBookieIsToldByContent(t *testing.T) {
	tape := wiremake.NewTape()
	c := tape.Talk(40000)
	c.Send(wiremake.Client, addRequest(0))
	c.Send(wiremake.Server, addResponse(0))
	c.Send(wiremake.Client, wiremake.Bookie2(2, 1, 7, -1, make([]byte, 20)))
	c.Send(wiremake.Server, wiremake.Bookie2(2, 0, uint32(0), 7, -1, entryOf(0).Bytes()))
	c.Close()
	compareLines(t, told(t, tape),
		"c2s 0 ADD_ENTRY 7:0 ok true payload 0",
		"s2c 0 ADD_ENTRY 7:0",
		fmt.Sprintf("c2s %d READ_ENTRY 7:-1", len(addRequest(0))),
		"s2c 28 READ_ENTRY 7:-1 ok true payload 0",
		"10.0.0.1:40000-10.0.0.2:6650 bookkeeper SYN")
}

// Frames in pieces of every size are the same frames.
func TestBookieInPieces(t *testing.T) {
	stream := slices.Concat(addRequest(0), addRequest(1), wiremake.Bookie2(2, 0, 7, 0))
	var want []string
	for size := len(stream); size > 0; size-- {
		tape := wiremake.NewTape()
		c := tape.Talk(40000)
		for piece := range slices.Chunk(stream, size) {
			c.Send(wiremake.Client, piece)
		}
		c.Close()
		got := told(t, tape)
		if want == nil {
			want = got
		}
		if len(want) != 4 || !slices.Equal(got, want) {
			t.Fatalf("pieces of %d bytes: %q, expected %q", size, got, want)
		}
	}
}

// In a capture that begins in the midst of a connection, frames tell which side
// asks. A stream that begins within a frame is searched only on the default
// port, or where the other direction has told.
func TestBookieMidway(t *testing.T) {
	first := len(addRequest(0))
	for _, test := range []struct {
		name string
		port uint16
		cut  int // bytes of the first request that are not captured
		want []string
	}{
		{"at a frame", 4000, 0, []string{
			"c2s 0 ADD_ENTRY 7:0 ok true payload 0 again", "s2c 0 ADD_ENTRY 7:0 again",
			fmt.Sprintf("c2s %d ADD_ENTRY 7:1 ok true payload 1", first),
			fmt.Sprintf("c2s %d ADD_ENTRY 7:2 ok true payload 2", 2*first),
			"10.0.0.1:400-10.0.0.2:4000 bookkeeper command"}},
		{"within a frame, the other direction tells", 4000, 10, []string{
			fmt.Sprintf("c2s 0 skipped %d", first-10),
			"s2c 0 ADD_ENTRY 7:0 again",
			fmt.Sprintf("c2s %d ADD_ENTRY 7:1 ok true payload 1 again", first-10),
			fmt.Sprintf("c2s %d ADD_ENTRY 7:2 ok true payload 2", 2*first-10),
			"10.0.0.1:400-10.0.0.2:4000 bookkeeper command"}},
	} {
		tape := wiremake.NewTape()
		c := on(tape.Midway(400), test.port)
		c.Send(wiremake.Client, addRequest(0)[test.cut:])
		c.Send(wiremake.Server, addResponse(0))
		c.Send(wiremake.Client, addRequest(1), addRequest(2))
		if got := told(t, tape); !slices.Equal(got, test.want) {
			t.Errorf("%s: got\n\t%s", test.name, strings.Join(got, "\n\t"))
		}
	}
	for port, want := range map[uint16]string{3181: "bookkeeper", 4000: "unknown"} {
		tape := wiremake.NewTape()
		c := on(tape.Midway(400), port)
		c.Send(wiremake.Client, addRequest(0)[10:], addRequest(1), addRequest(2))
		got := told(t, tape)
		if end := got[len(got)-1]; !strings.Contains(end, " "+want+" ") {
			t.Errorf("port %d: %q", port, got)
		}
		if frames := len(got) > 2; frames != (port == 3181) {
			t.Errorf("port %d: %q", port, got)
		}
	}
}

// Behind a gap the stream goes on with the next frame, at its stated place or
// found by search.
func TestBookieGap(t *testing.T) {
	first := len(addRequest(0))
	tape := wiremake.NewTape()
	c := tape.Talk(40000)
	c.Send(wiremake.Client, addRequest(0)[:70])
	c.Lose(wiremake.Client, first-70)
	c.Send(wiremake.Client, addRequest(1))
	c.Lose(wiremake.Client, 30)
	c.Send(wiremake.Client, addRequest(2)[30:], addRequest(3), addRequest(4))
	c.Ack(wiremake.Server)
	c.Close()
	compareLines(t, told(t, tape),
		fmt.Sprintf("c2s 0 ADD_ENTRY 7:0  true  cut at 70 of %d", first),
		fmt.Sprintf("c2s 70 gap %d", first-70),
		fmt.Sprintf("c2s %d ADD_ENTRY 7:1 ok true payload 1 again", first),
		fmt.Sprintf("c2s %d gap 30", 2*first),
		fmt.Sprintf("c2s %d skipped %d", 2*first+30, first-30),
		fmt.Sprintf("c2s %d ADD_ENTRY 7:3 ok true payload 3 again", 3*first),
		fmt.Sprintf("c2s %d ADD_ENTRY 7:4 ok true payload 4", 4*first),
		"10.0.0.1:40000-10.0.0.2:6650 bookkeeper SYN")
}

// What the user says is Pulsar is not taken for a bookie's, and a Pulsar stream
// is not, whatever its payloads hold.
func TestPulsarIsNoBookie(t *testing.T) {
	tape := wiremake.NewTape()
	c := tape.Talk(40000)
	c.Send(wiremake.Client, addRequest(0))
	c.Close()
	if got := told(t, tape, 6650); len(got) != 2 || !strings.Contains(got[1], "unknown") {
		t.Errorf("%q", got)
	}
	send := wiremake.Payload{
		Command: &pb.BaseCommand{Type: pb.BaseCommand_SEND.Enum(),
			Send: &pb.CommandSend{ProducerId: protobuf.Uint64(0), SequenceId: protobuf.Uint64(0)}},
		Metadata: &pb.MessageMetadata{ProducerName: protobuf.String("p"), SequenceId: protobuf.Uint64(0), PublishTime: protobuf.Uint64(1)},
		Body:     slices.Concat(addRequest(0), addRequest(1), addRequest(2)),
	}.Frame()
	for from := range send {
		tape := wiremake.NewTape()
		c := on(tape.Midway(400), 4000)
		c.Send(wiremake.Client, send[from:], send, send)
		for _, l := range told(t, tape) {
			if at := len(send) - from; strings.Contains(l, "ADD_ENTRY") && bookieBegins(send[from:]) == false {
				t.Fatalf("from byte %d (%d left): %s", from, at, l)
			}
		}
	}
}

// bookieBegins says whether a stream that begins so cannot be told from one of a
// bookie: a capture that begins right there.
func bookieBegins(b []byte) bool {
	for n := range int64(3) {
		if strings.HasPrefix(string(b), string(addRequest(n))) {
			return true
		}
	}
	return false
}

// No capture but the one with a bookie in it has its frames.
func TestNoBookieInOtherCaptures(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testkit.Root(t), "testdata", "captures", "*", "*.pcap*"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d captures, %v", len(files), err)
	}
	for _, file := range files {
		source, err := capture.Open([]string{file}, capture.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		events := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{})).Events(source.Packets())
		for e := range decode.New(decode.Limits{}, nil).Events(events) {
			if e != nil && e.Kind == decode.BookieSeen {
				n++
			}
		}
		source.Close()
		if want := strings.Contains(file, "bookkeeper"); (n > 0) != want {
			t.Errorf("%s: %d frames of bookies", filepath.Base(file), n)
		}
	}
}
