package decode

import (
	"encoding/hex"
	"hash/crc32"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/internal/wiremake"
)

// sent decodes what a client sent behind its CONNECT, and gives the frames
// behind it.
func sent(t *testing.T, stream ...[]byte) *seen {
	t.Helper()
	return said(t, client, stream...)
}

// said is the same of a side.
func said(t *testing.T, side int, stream ...[]byte) *seen {
	t.Helper()
	tape, c := talk()
	c.Send(client, wiremake.Frame(connect()))
	c.Send(server, wiremake.Frame(connected(0)))
	c.Send(side, stream...)
	got := decodeAll(t, Limits{}, nil, tape.Source())
	if len(got.frames) < 2 || got.frames[0].Name != "CONNECT" || got.frames[1].Name != "CONNECTED" {
		t.Fatalf("frames %q, events %q", got.names(), got.events)
	}
	got.frames = got.frames[2:]
	return got
}

func TestChecksumVectors(t *testing.T) {
	for text, want := range map[string]uint32{"data": 0xaed87dd1, "\x10\x01\x18\xc9\xf8\x86\x94\xeb\x2c": 2355953212} {
		if got := crc32.Checksum([]byte(text), castagnoli); got != want {
			t.Errorf("%q: %08x, want %08x", text, got, want)
		}
	}
}

// Parts of payload frames out of a client's tests: checksum, metadata, messages.
func TestPayloadVectors(t *testing.T) {
	command := wiremake.Bytes(send(0, "").Command)
	for _, x := range []struct {
		name     string
		stored   uint32
		meta     []string // what the metadata says
		messages int
		single   []string
	}{
		{"go-rawCompatSingleMessage.bin", 0x0836b466, []string{`"producer_name":"standalone-74-0"`, `"sequence_id":0`,
			`"properties":[{"key":"a","value":"1"},{"key":"b","value":"2"}]`}, 1, nil},
		{"go-rawBatchMessage1.bin", 0x1f800968, []string{`"num_messages_in_batch":1`, `"schema_version":""`}, 1,
			[]string{`"properties":[{"key":"a","value":"1"},{"key":"b","value":"2"}]`, `"payload_size":5`}},
		{"go-rawBatchMessage10.bin", 0x7b288c08, []string{`"num_messages_in_batch":10`}, 10,
			[]string{`"properties":[{"key":"a","value":"1"},{"key":"b","value":"2"}]`, `"payload_size":5`}},
	} {
		got := sent(t, wiremake.Raw(command, testkit.Testdata(t, "vectors", x.name)...))
		f := got.frames[0]
		if f.Checksum != ChecksumOK || f.Stored != x.stored || f.Computed != x.stored || len(f.Messages) != x.messages {
			t.Errorf("%s: checksum %v %08x, %d messages", x.name, f.Checksum, f.Stored, len(f.Messages))
		}
		for _, part := range x.meta {
			if !strings.Contains(f.Meta, part) {
				t.Errorf("%s: metadata %s lacks %s", x.name, f.Meta, part)
			}
		}
		for i, m := range f.Messages {
			if m.State != StateOK || m.Payload != "hello" || m.Index != i || m.Batched != (x.single != nil) || m.BatchSize != x.messages {
				t.Errorf("%s: message %d: %+v", x.name, i, m)
			}
			for _, part := range x.single {
				if !strings.Contains(m.Single, part) {
					t.Errorf("%s: message %d: %s lacks %s", x.name, i, m.Single, part)
				}
			}
		}
	}
}

// Whole frames out of clients' tests.
func TestFrameVectors(t *testing.T) {
	for _, x := range []struct {
		name    string
		side    int
		want    string // type
		command []string
		check   Checksum
		stored  uint32
		body    string
	}{
		{"pulsar-rs-connect.bin", client, "CONNECT", []string{`"client_version":"pulsar-rs-v6.0.0"`, `"protocol_version":12`}, NoChecksum, 0, ""},
		{"pulsar-rs-send.bin", client, "SEND", []string{`"producer_id":0`, `"sequence_id":8`}, ChecksumOK, 0x428354b5, "hello-pulsar-8"},
		{"comcast-message-crc.bin", server, "MESSAGE", nil, ChecksumOK, 0xa850cd91, "Hello world!"},
		{"comcast-message-nocrc.bin", server, "MESSAGE", []string{`"ledgerId":2`, `"entryId":338`}, ChecksumAbsent, 0, ""},
	} {
		got := said(t, x.side, testkit.Testdata(t, "vectors", x.name))
		if len(got.frames) != 1 || len(got.events) != 1 {
			t.Errorf("%s: %q, %q", x.name, got.names(), got.events)
			continue
		}
		f := got.frames[0]
		if f.Name != x.want || f.Checksum != x.check || f.Stored != x.stored || x.body != "" && f.Messages[0].Payload != x.body {
			t.Errorf("%s: %+v", x.name, f)
		}
		for _, part := range x.command {
			if !strings.Contains(f.Command, part) {
				t.Errorf("%s: %s lacks %s", x.name, f.Command, part)
			}
		}
	}
	f := sent(t, testkit.Testdata(t, "vectors", "pulsar-rs-send.bin")).frames[0]
	if !strings.Contains(f.Meta, `"publish_time":1533850624062`) {
		t.Errorf("metadata %s", f.Meta)
	}
}

// A frame that lacks its last byte is incomplete, by one byte.
func TestVectorLacksAByte(t *testing.T) {
	b := testkit.Testdata(t, "vectors", "comcast-message-nocrc.bin")
	got := said(t, server, b[:len(b)-1])
	if f := got.frames[0]; len(got.frames) != 1 || !f.Incomplete || f.Size-f.Have != 1 || f.Checksum != NoChecksum || f.Messages[0].State != StateIncomplete {
		t.Errorf("%+v", f)
	}
}

// Broker entry metadata ahead of the checksum; read without skipping it, its
// first bytes would be the size 235012096.
func TestBrokerEntryVector(t *testing.T) {
	part := testkit.Testdata(t, "vectors", "go-brokerEntryMeta.bin")
	if bigEndian(part) != 235012096 {
		t.Errorf("begins with %d", bigEndian(part))
	}
	p := message(1, metadata(0), []byte("hello"))
	got := said(t, server, wiremake.Raw(wiremake.Bytes(p.Command), append(part, p.Section()...)...))
	f := got.frames[0]
	if f.Broker != `{"broker_timestamp":1646983036054,"index":5}` || f.Checksum != ChecksumOK || string(f.Payload) != "hello" {
		t.Errorf("%+v", f)
	}
}

// A checksum that does not match, and two bytes too many behind the frame: both
// are said.
func TestBadChecksumAndLeftOver(t *testing.T) {
	p := send(0, "body")
	p.Sum = wiremake.Bad
	got := sent(t, append(p.Frame(), 0x32, 0x08), wiremake.Frame(flow(1)), wiremake.Frame(flow(2)))
	if !slices.Equal(got.names(), []string{"SEND", "FLOW resync", "FLOW"}) || got.frames[0].Checksum != ChecksumBad ||
		!strings.HasPrefix(got.events[0], "c2s skipped 2 at") {
		t.Errorf("%q, %q, checksum %v", got.names(), got.events, got.frames[0].Checksum)
	}
}

// The bytes of that report: a SEND whose checksum field is right behind it.
func TestReportedSend(t *testing.T) {
	b, err := hex.DecodeString("0000000A" + "0806320808003208" + "0e01" + "3c39f40b")
	if err != nil {
		t.Fatal(err)
	}
	total := []byte{0, 0, 0, byte(len(b))}
	got := sent(t, total, b, wiremake.Frame(flow(1)), wiremake.Frame(flow(2)))
	if names := got.names(); names[len(names)-1] != "FLOW" {
		t.Errorf("%q, %q", names, got.events)
	}
}

// Captures with one frame each that crashed or misled another dissector.
func TestCrashers(t *testing.T) {
	for _, x := range []struct {
		name   string
		frames int
		last   string   // frame
		issues []string // of the last frame
		events []string
	}{
		{"edge-ackempty.pcap", 12, "ACK", nil, nil},
		{"edge-hugemd.pcap", 12, "SEND", []string{"metadata_cut"}, nil},
		{"edge-hugecmd.pcap", 11, "FLOW", nil, []string{"c2s skipped 12 at 278"}},
		{"edge-hugeframe.pcap", 14, "PING", nil, []string{"c2s skipped 12 at 278"}},
		{"edge-unknowncmd.pcap", 12, "WATCH_TOPIC_LIST", nil, nil},
		{"edge-unknownerr.pcap", 12, "TOPIC_MIGRATED", nil, nil},
		{"edge-v21.pcap", 11, "FLOW", nil, nil},
	} {
		src, err := capture.Open([]string{filepath.Join(testkit.Root(t), "testdata", "captures", "crashers", x.name)}, capture.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := decodeAll(t, Limits{}, nil, src.Packets())
		if err := src.Close(); err != nil {
			t.Error(err)
		}
		last := got.frames[len(got.frames)-1]
		if len(got.frames) != x.frames || last.Name != x.last || !slices.Equal(last.Issues, x.issues) ||
			!slices.Equal(got.events[:len(got.events)-1], x.events) {
			t.Errorf("%s: %d frames, last %s %q, events %q", x.name, len(got.frames), last.Name, last.Issues, got.events)
		}
	}
}
