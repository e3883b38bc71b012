package anatomy

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/decode"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
)

var shown = &Options{MaxText: 100, MaxPayload: 100}

// told lists the parts of a tree, one a line: range, name, value, meaning.
func told(parts []Part, depth int) (lines []string) {
	for i := range parts {
		p := &parts[i]
		line := fmt.Sprintf("%s%d-%d %s", strings.Repeat(" ", depth), p.Start, p.End, p.Name)
		if p.Buffer > 0 {
			line = fmt.Sprintf("%s in %d", line, p.Buffer)
		}
		if p.Number > 0 {
			line = fmt.Sprintf("%s (%d %s)", line, p.Number, p.WireType)
		}
		if p.Value != "" {
			line += " = " + p.Value
		}
		if p.Meaning != "" {
			line += ", " + p.Meaning
		}
		for _, f := range p.Faults {
			line += " !" + f
		}
		lines = append(append(lines, line), told(p.Parts, depth+1)...)
	}
	return lines
}

func check(t *testing.T, a *Anatomy, want string) {
	t.Helper()
	got := strings.Join(told(a.Parts, 0), "\n")
	if want = strings.TrimSpace(want); got != want {
		t.Errorf("got\n%s\n\nwant\n%s", got, want)
	}
}

func send(batch bool) wiremake.Payload {
	m := &pb.MessageMetadata{ProducerName: proto.String("p"), SequenceId: proto.Uint64(7), PublishTime: proto.Uint64(1_700_000_000_123)}
	p := wiremake.Payload{Metadata: m, Body: []byte("hello"), Command: &pb.BaseCommand{Type: pb.BaseCommand_SEND.Enum(),
		Send: &pb.CommandSend{ProducerId: proto.Uint64(3), SequenceId: proto.Uint64(7)}}}
	if batch {
		m.NumMessagesInBatch = proto.Int32(2)
		p.Body = wiremake.Batch(wiremake.Single{Body: []byte("one")}, wiremake.Single{Body: []byte{0, 1}})
	}
	return p
}

func frame(t *testing.T, b []byte) *decode.Frame {
	t.Helper()
	f := &decode.Frame{}
	if _, ok := decode.ReadFrame(f, b); !ok {
		t.Fatalf("no frame: %x", b)
	}
	return f
}

func TestFrame(t *testing.T) {
	o := *shown
	o.Names = map[string]string{"producer_id": "orders"}
	f := frame(t, send(false).Frame())
	sum := fmt.Sprintf("0x%08x", crc32.Checksum(f.Bytes[22:], crc32.MakeTable(crc32.Castagnoli)))
	check(t, OfFrame(f, &o), `
0-4 total size = 39, bytes that follow
4-8 command size = 8, bytes of the command
8-16 command, SEND
 8-10 type (1 varint) = SEND, number 6, from clients, with metadata and payload
 10-16 send (6 len)
  12-14 producer_id (1 varint) = 3, orders
  14-16 sequence_id (2 varint) = 7
16-18 magic number of the checksum = 0x0e01
18-22 checksum = `+sum+`, CRC32-C of 0x0016-0x002a: metadata size, metadata, payload; right
22-26 metadata size = 12, bytes
26-38 metadata
 26-29 producer_name (1 len) = p
 29-31 sequence_id (2 varint) = 7
 31-38 publish_time (3 varint) = 1700000000123, 2023-11-14 22:13:20.123 UTC
38-43 payload = hello, 5 bytes`)
}

func TestBatch(t *testing.T) {
	a := OfFrame(frame(t, send(true).Frame()), shown)
	check(t, &Anatomy{Parts: a.Parts[len(a.Parts)-1:]}, `
40-57 payload, 17 bytes
 40-49 message 0
  40-44 metadata size = 2, bytes
  44-46 metadata
   44-46 payload_size (3 varint) = 3, bytes
  46-49 payload = one, 3 bytes
 49-57 message 1
  49-53 metadata size = 2, bytes
  53-55 metadata
   53-55 payload_size (3 varint) = 2, bytes
  55-57 payload, 2 bytes`)
}

// A compressed batch lies in a buffer of its own.
func TestCompressed(t *testing.T) {
	p := send(true)
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	if _, err := z.Write(p.Body); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	p.Metadata.Compression, p.Metadata.UncompressedSize = pb.CompressionType_ZLIB.Enum(), proto.Uint32(uint32(len(p.Body)))
	p.Body = out.Bytes()
	a := OfFrame(frame(t, p.Frame()), shown)
	if len(a.Buffers) != 2 || a.Buffers[1].Name != "payload, decompressed from ZLIB" || len(a.Buffers[1].Bytes) != 17 {
		t.Fatalf("buffers %+v", a.Buffers)
	}
	payload := a.Parts[len(a.Parts)-1]
	check(t, &Anatomy{Parts: payload.Parts[:1]}, `
0-9 message 0 in 1
 0-4 metadata size in 1 = 2, bytes
 4-6 metadata in 1
  4-6 payload_size in 1 (3 varint) = 3, bytes
 6-9 payload in 1 = one, 3 bytes`)
}

// What is wrong is told where it is.
func TestFaults(t *testing.T) {
	bad := send(false)
	bad.Sum = wiremake.Bad
	cutBatch := send(true)
	cutBatch.Body = cutBatch.Body[:12]
	missing := wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_FLOW.Enum(), Flow: &pb.CommandFlow{}})
	whole := send(false).Frame()
	for _, x := range []struct {
		name  string
		frame []byte
		part  int // from the end
		fault string
	}{
		{"checksum", bad.Frame(), 4, "wrong: the bytes give"},
		{"batch", cutBatch.Frame(), 1, ""},
		{"missing", missing, 1, "missing_required:flow.consumer_id"},
		{"cut payload", whole[:40], 1, "not whole"},
		{"cut metadata", whole[:30], 1, "metadata_cut"},
		{"cut command", whole[:12], 2, "more than there are"},
		{"after", wiremake.Raw(wiremake.Bytes(&pb.BaseCommand{Type: pb.BaseCommand_PING.Enum(), Ping: &pb.CommandPing{}}), 1, 2), 1, "the command has no payload"},
	} {
		a := OfFrame(frame(t, x.frame), shown)
		p := a.Parts[len(a.Parts)-x.part]
		if x.name == "batch" {
			p, x.fault = p.Parts[1], "batch_cut: message 1 of 2"
		}
		if len(p.Faults) == 0 || !strings.HasPrefix(p.Faults[0], x.fault) {
			t.Errorf("%s: part %q has faults %q, want %q", x.name, p.Name, p.Faults, x.fault)
		}
	}
}

// Credentials and, where they are not wanted, payloads are hidden.
func TestHidden(t *testing.T) {
	f := wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_CONNECT.Enum(),
		Connect: &pb.CommandConnect{ClientVersion: proto.String("c"), AuthData: []byte("secret")}})
	find := func(a *Anatomy, name string) (found Part) {
		var look func([]Part)
		look = func(parts []Part) {
			for _, p := range parts {
				if p.Name == name {
					found = p
				}
				look(p.Parts)
			}
		}
		look(a.Parts)
		return found
	}
	if p := find(OfFrame(frame(t, f), shown), "auth_data"); !p.Hidden || strings.Contains(p.Value+p.JSON, "secret") {
		t.Errorf("%+v", p)
	}
	if p := find(OfFrame(frame(t, f), &Options{ShowSecrets: true}), "auth_data"); p.Hidden || p.Value != "0x736563726574" {
		t.Errorf("%+v", p)
	}
	if p := find(OfFrame(frame(t, send(false).Frame()), &Options{}), "payload"); !p.Hidden || p.Value != "" {
		t.Errorf("%+v", p)
	}
}

func TestGuess(t *testing.T) {
	one := send(true)
	command := wiremake.Bytes(one.Command)
	entry := one.Section()
	for _, x := range []struct {
		data []byte
		form Form
		why  string
	}{
		{one.Frame(), Frame, "taken for a frame"},
		{append(one.Frame(), one.Frame()...), Frame, "taken for a frame"},
		{one.Frame()[:30], Frame, "taken for a frame, although not all of it fits"},
		{command, Command, "taken for a command (BaseCommand)"},
		{wiremake.Bytes(one.Metadata), Metadata, "taken for metadata (MessageMetadata)"},
		{one.Body, Batch, "taken for the messages of a batch"},
		{entry, Entry, "taken for an entry: checksum, metadata and payload"},
		{[]byte{8, 51, 16, 2}, MessageID, "taken for a position (MessageIdData)"},
		{[]byte{8, 51, 16, 2, 24, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, MessageID, "taken for a position (MessageIdData)"},
	} {
		if form, why, ok := Guess(x.data); !ok || form != x.form || why != x.why {
			t.Errorf("%x: %s, %s, %v; want %s, %s", x.data, form, why, ok, x.form, x.why)
		}
	}
	for _, data := range [][]byte{nil, {0}, []byte("hello, world"), {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}} {
		if form, why, ok := Guess(data); ok {
			t.Errorf("%q: %s, %s", data, form, why)
		}
	}
}

// Every command of the schema is told from its bytes.
func TestGuessCommands(t *testing.T) {
	for _, c := range wiremake.Types() {
		if form, why, ok := Guess(wiremake.Bytes(wiremake.Filled(c, 1))); !ok || form != Command {
			t.Errorf("%s: %s, %s", c, form, why)
		}
	}
}

func TestOf(t *testing.T) {
	a, err := Of(MessageID, []byte{8, 51, 16, 2}, shown)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, `
0-4 message id, MessageIdData
 0-2 ledgerId (1 varint) = 51
 2-4 entryId (2 varint) = 2`)
	if _, err := Of("nothing", nil, shown); err == nil {
		t.Error("no error")
	}
}

// Any bytes as any form: ranges lie within their buffers, in order, and those of
// parts within those of the part around them.
func FuzzOf(f *testing.F) {
	one := send(true)
	for i := range forms {
		for _, b := range [][]byte{one.Frame(), one.Section(), one.Body, wiremake.Bytes(one.Metadata), {8, 51, 16, 2}} {
			f.Add(b, uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, form uint8) {
		Guess(data)
		a, err := Of(forms[int(form)%len(forms)].name, data, shown)
		if err != nil {
			t.Fatal(err)
		}
		checkRanges(t, a, a.Parts, Part{End: len(data)})
	})
}

func checkRanges(t *testing.T, a *Anatomy, parts []Part, around Part) {
	t.Helper()
	at := -1
	for i := range parts {
		p := &parts[i]
		if p.Buffer != around.Buffer {
			around = Part{Buffer: p.Buffer, End: len(a.Buffers[p.Buffer].Bytes)}
			at = -1
		}
		if at < 0 {
			at = around.Start
		}
		if p.Start < at || p.ValueStart < p.Start || p.End < p.ValueStart || p.End > around.End {
			t.Fatalf("%s: %d %d %d, behind %d, within %d to %d", p.Name, p.Start, p.ValueStart, p.End, at, around.Start, around.End)
		}
		at = p.End
		checkRanges(t, a, p.Parts, *p)
	}
}
