package render_test

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pulsar-dissect/decode"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/render"
	"pulsar-dissect/session"
)

// records are all kinds, for the tests of records.
func records(w io.Writer, o render.Options) render.Sink {
	var all []session.Kind
	for k := session.FrameSeen; k <= session.ConnectionEnd; k++ {
		all = append(all, k)
	}
	return render.NewRecords(w, o, all...)
}

// chosen are records of a capture that are held to a golden file: those that
// hold all of the words, the first so many.
var chosen = []struct {
	capture string
	words   []string
	first   int
}{
	{"bookkeeper", []string{`"kind":"bookie"`, `"conn_id":4,`, `"op":"ADD_ENTRY"`}, 2},   // a message, and that it is stored
	{"bookkeeper", []string{`"kind":"bookie"`, `"ledgerId":14,`, `"role":"request"`}, 1}, // a cursor
	{"bookkeeper", []string{`"kind":"bookie"`, `"op":"READ_ENTRY"`, `"entryId":3,`}, 2},  // read
	{"bookkeeper", []string{`"exchange":"bookie"`}, 1},                                   // stored
	{"bookkeeper", []string{`"exchange":"send"`}, 1},                                     // from client to disk
	{"bookkeeper", []string{`"kind":"message"`, `"type":"MESSAGE"`}, 1},                  // from disk to client
	{"bookkeeper", []string{`"kind":"connection"`, `"protocol":"bookkeeper"`}, 1},        //
	{"haproxy-v2-both", []string{`"kind":"exchange"`, `"proxy_ns"`}, 3},                  //
	{"haproxy-v2-both", []string{`"kind":"connection"`}, 2},                              //
	{"proxy-errors", []string{`"kind":"exchange"`, `"proxy_ns"`, `"result":"error"`}, 2}, //
	{"proxy-errors", []string{`"kind":"connection"`, `"proxy_legs"`}, 2},                 //
}

func TestRecordsOfBookiesAndProxies(t *testing.T) {
	var got bytes.Buffer
	out := map[string]string{}
	for _, c := range chosen {
		if out[c.capture] == "" {
			out[c.capture] = run(t, records, render.Options{MaxPayload: 64}, inCapture(t, c.capture))
		}
		left := c.first
		for line := range strings.Lines(out[c.capture]) {
			if left > 0 && holds(line, c.words) {
				left--
				got.WriteString(line)
			}
		}
		if left > 0 {
			t.Errorf("%s: no record with %q", c.capture, c.words)
		}
	}
	compareGolden(t, filepath.Join(testkit.Root(t), "render", "testdata", "golden", "links.records"), got.String())
}

func holds(line string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(line, w) {
			return false
		}
	}
	return true
}

// The master key, which lets who has it write to a ledger, is not shown.
func TestMasterKeyIsSecret(t *testing.T) {
	file := inCapture(t, "bookkeeper")
	key := regexp.MustCompile(`"masterKey":"([^"]*)"`)
	for secrets, want := range map[bool]string{false: "<redacted 20 bytes, sha256 bc649178>", true: "hQvxBxxePYwkI1Z2+IFq4Mvi8U8="} {
		got := key.FindStringSubmatch(run(t, records, render.Options{ShowSecrets: secrets}, file))
		if got == nil || got[1] != want {
			t.Errorf("secrets shown %t: %q, expected %q", secrets, got, want)
		}
	}
}

// The broker's delay is the difference of what the two clocks say.
func TestBrokerDelay(t *testing.T) {
	file := testkit.Capture(t, "broker-metadata.pcap")
	both := regexp.MustCompile(`"broker_entry_metadata":\{"broker_timestamp":(\d+),"index":\d+\},"broker_delay":(-?\d+),.*"publish_time":(\d+)`)
	n := 0
	for line := range strings.Lines(run(t, records, render.Options{}, file)) {
		if !holds(line, []string{`"kind":"message"`, `"type":"MESSAGE"`}) {
			continue
		}
		m := both.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("no delay in %s", line)
		}
		var stored, published, delay int64
		if _, err := fmt.Sscan(strings.Join(m[1:], " "), &stored, &delay, &published); err != nil {
			t.Fatal(err)
		}
		if n++; delay != stored-published {
			t.Errorf("delay %d of %d and %d", delay, stored, published)
		}
	}
	if n != 61 {
		t.Errorf("%d messages, expected 61", n)
	}
	if text := run(t, makers["analyze"], render.Options{Width: 140, Format: render.Table}, file); !strings.Contains(text, "the clocks of the producer and of the broker both take part") {
		t.Error("analyze does not say that two clocks take part")
	}
}

// What is wrong with frames of bookies is told on their line.
func TestTimelineOfBookies(t *testing.T) {
	tape := wiremake.NewTape()
	c := tape.Talk(40000)
	wrong := func([]byte, []byte) []byte { return []byte{1, 2, 3, 4} }
	entry := wiremake.StoredEntry{Ledger: 7, Entry: 0, LastAddConfirmed: -1, Digest: wrong, Body: []byte("\x0e\x01\x00\x00\x00\x00\x00\x00\x00\x00")}
	c.Send(wiremake.Client, wiremake.Bookie2(1, 0, make([]byte, 20), entry.Bytes()))
	c.Send(wiremake.Server, wiremake.Bookie2(1, 0, uint32(104), 7, 0))
	c.Send(wiremake.Client, wiremake.Bookie2(2, 1, 7, -1, make([]byte, 20)), wiremake.Bookie2(2, 0, 7, 1)[:14])
	c.Close()
	var out bytes.Buffer
	face := render.NewTimeline(&out, render.Options{Format: render.Compact})
	packets := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{})).Events(tape.Source())
	for e := range session.New(session.Options{}).Events(decode.New(decode.Limits{}, nil).Events(packets)) {
		if err := face.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := face.Close(&render.End{}); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	for _, want := range []string{
		"ADD_ENTRY - DIGEST BAD 7:0 10 B", "ADD_ENTRY 1.00ms 7:0 EFENCED", "READ_ENTRY - 7:last DO_FENCING",
		"READ_ENTRY - CUT: the capture has 14 of 24 bytes",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
