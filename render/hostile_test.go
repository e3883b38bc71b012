package render_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/internal/wiremake"
	schema "pulsar-dissect/proto"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/render"
)

// hostile is text that clears the screen, turns the direction of writing, hides
// in C1 controls, breaks lines; and broken becomes bytes that are not UTF-8.
const (
	hostile = "\x1b[2J\u202e\u009b31m" + broken + "\u2028\r\n\x07\u200b\\x1b"
	broken  = "@@@@"
	bytesOf = "\xff\x9b\xc3\x28"
)

// hostileCapture is a conversation in which every string and bytes field of
// every command is hostile, and so are the messages in it.
func hostileCapture(t *testing.T) string {
	t.Helper()
	tape := wiremake.NewTape()
	talk := tape.Talk(40000)
	send := func(side int, frame []byte) {
		talk.Send(side, bytes.ReplaceAll(frame, []byte(broken), []byte(bytesOf)))
	}
	for _, n := range wiremake.Types() {
		c := wiremake.Filled(n, 1)
		poison(c.ProtoReflect())
		side := wiremake.Client
		if schema.ByNumber(int32(n)).Sender == schema.Broker {
			side = wiremake.Server
		}
		if !schema.ByNumber(int32(n)).Payload {
			send(side, wiremake.Frame(c))
			continue
		}
		m := &pb.MessageMetadata{ProducerName: proto.String(hostile), SequenceId: proto.Uint64(1), PublishTime: proto.Uint64(1 << 63),
			PartitionKey: proto.String(hostile), Properties: []*pb.KeyValue{{Key: proto.String(hostile), Value: proto.String(hostile)}}}
		send(side, wiremake.Payload{Command: c, Metadata: m, Body: []byte(hostile)}.Frame())
	}
	talk.Close()
	stranger := tape.Talk(40001)
	stranger.Send(wiremake.Client, []byte(hostile))
	stranger.Close()
	file := filepath.Join(t.TempDir(), "a\x1b[31m.pcap")
	if err := os.WriteFile(file, wiremake.Pcap(tape.Packets), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// poison makes every string and bytes value hostile.
func poison(m protoreflect.Message) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsList():
			for i := range v.List().Len() {
				if p, ok := poisoned(f, v.List().Get(i)); ok {
					v.List().Set(i, p)
				}
			}
		default:
			if p, ok := poisoned(f, v); ok {
				m.Set(f, p)
			}
		}
		return true
	})
}

func poisoned(f protoreflect.FieldDescriptor, v protoreflect.Value) (protoreflect.Value, bool) {
	switch f.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(hostile), true
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte(hostile)), true
	case protoreflect.MessageKind:
		poison(v.Message())
	}
	return v, false
}

// TestNothingHostileReachesTheTerminal holds that no face lets text from the
// wire through that a terminal could obey.
func TestNothingHostileReachesTheTerminal(t *testing.T) {
	file := hostileCapture(t)
	for face, make := range makers {
		for _, format := range both {
			for _, width := range []int{0, 80, 140} {
				o := render.Options{Format: format, Width: width, MaxPayload: 1000, ShowSecrets: true}
				out := run(t, make, o, file)
				for n, line := range strings.Split(out, "\n") {
					if i := strings.IndexFunc(line, unfit); i >= 0 || !utf8.ValidString(line) {
						t.Fatalf("%s %s, width %d, line %d is not fit for a terminal: %q", face, format, width, n+1, line)
					}
				}
				want := `\x1b[2J\u202e\u009b31m\xff\x9b`
				if face == "ladder" {
					want = want[:len(`\x1b[2J\u202e\u009b31m`)] // there is little room between the sides
				}
				if width == 0 && !strings.Contains(out, want) {
					t.Errorf("%s %s: the hostile text is not shown at all:\n%s", face, format, out)
				}
			}
		}
	}
}

func unfit(r rune) bool { return !strconv.IsPrint(r) }

// TestEveryCommandHasALine holds that the timeline shows each command of the
// schema with its fields, though it knows only some by name.
func TestEveryCommandHasALine(t *testing.T) {
	out := run(t, makers["timeline"], render.Options{Format: render.Compact}, hostileCapture(t))
	for _, c := range schema.Commands {
		at := strings.Index(out, " "+c.Name+" ")
		if at < 0 {
			t.Errorf("%s has no line", c.Name)
			continue
		}
		line, _, _ := strings.Cut(out[at:], "\n")
		if c.Field.Message().Fields().Len() > 0 && len(strings.Fields(line)) < 3 {
			t.Errorf("%s shows nothing of its fields: %q", c.Name, line)
		}
	}
}

// TestSummaryRecordIsValid holds that the last record is valid JSON of valid
// UTF-8 whatever the wire held.
func TestSummaryRecordIsValid(t *testing.T) {
	var out bytes.Buffer
	summaryOf(t, &out, hostileCapture(t))
	if !utf8.Valid(out.Bytes()) || bytes.ContainsAny(out.Bytes()[:out.Len()-1], "\n\x1b") {
		t.Errorf("not one line of UTF-8: %q", out.String())
	}
	var record map[string]any
	decodeJSON(t, out.Bytes(), &record)
}

// TestDamagedCaptures shows a real capture with bytes changed at random: every
// face goes on to its end, and stays fit for a terminal.
func TestDamagedCaptures(t *testing.T) {
	whole := testkit.Testdata(t, "captures", "base", "base.pcap")
	file := filepath.Join(t.TempDir(), "damaged.pcap")
	random := rand.New(rand.NewPCG(6650, 1))
	for range 60 {
		damaged := bytes.Clone(whole)
		for range 1 + random.IntN(40) {
			damaged[24+random.IntN(len(damaged)-24)] = byte(random.Uint32())
		}
		if err := os.WriteFile(file, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		for face, make := range makers {
			var out bytes.Buffer
			broken := feed(t, make, &out, render.Options{Format: render.Table, Width: 120, MaxPayload: 100}, file)
			for _, line := range strings.Split(out.String(), "\n") {
				if strings.ContainsFunc(line, unfit) || !utf8.ValidString(line) {
					t.Fatalf("%s (%v): %q", face, broken, line)
				}
			}
		}
	}
}
