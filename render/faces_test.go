package render_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"

	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/render"
)

// captures are those of testdata that every face is tried on.
var captures = []string{
	"base", "ack", "cap-gap3", "go-chunk", "go-errors", "haproxy-v2-back", "mixed", "net-portreuse", "producer-errors", "py-encrypt",
	"rust-codecs", "snap96", "txn", "wrongport-nothing-listens", "wrongport-pulsar-to-8080",
}

// TestTablesFitTheTerminal holds every line of every table against the width
// of the terminal. Only commands to type may be longer: cut they are of no use.
func TestTablesFitTheTerminal(t *testing.T) {
	for _, name := range captures {
		t.Run(name, func(t *testing.T) {
			file := inCapture(t, name)
			for face, make := range makers {
				for _, width := range []int{80, 100, 132, 200} {
					out := run(t, make, render.Options{Format: render.Table, Width: width, MaxPayload: 100}, file)
					for _, line := range strings.Split(out, "\n") {
						if n := runewidth.StringWidth(line); n > width && !strings.Contains(line, "look: ") {
							t.Errorf("%s, width %d: %d columns: %s", face, width, n, line)
						}
					}
				}
			}
		})
	}
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestColorIsAllThatColorAdds holds that colour changes nothing but the looks,
// and that it is there only when it is asked for.
func TestColorIsAllThatColorAdds(t *testing.T) {
	file := inCapture(t, "producer-errors")
	for face, make := range makers {
		for _, format := range both {
			o := render.Options{Format: format, Width: 140, MaxPayload: 100}
			without := run(t, make, o, file)
			o.Color = true
			with := run(t, make, o, file)
			if strings.Contains(without, "\x1b") {
				t.Errorf("%s %s: escapes without colour", face, format)
			}
			if !strings.Contains(with, "\x1b[") {
				t.Errorf("%s %s: no colour", face, format)
			}
			if line, a, b := firstDifference(without, escapes.ReplaceAllString(with, "")); line > 0 {
				t.Errorf("%s %s: line %d is\n%s\nand with colour\n%s", face, format, line, a, b)
			}
		}
	}
}

// full is a disk that is full.
type full struct{ room int }

var errFull = errors.New("no room")

func (f *full) Write(p []byte) (int, error) {
	if f.room < len(p) {
		return 0, errFull
	}
	f.room -= len(p)
	return len(p), nil
}

// TestFacesReportWriteErrors holds that a face stops where it cannot write,
// wherever that is.
func TestFacesReportWriteErrors(t *testing.T) {
	file := inCapture(t, "base")
	for face, make := range makers {
		o := render.Options{Format: render.Table, MaxPayload: 100}
		whole := run(t, make, o, file)
		for room := 0; room < len(whole); room += 97 {
			if err := feed(t, make, &full{room}, o, file); !errors.Is(err, errFull) {
				t.Errorf("%s, room for %d bytes: %v", face, room, err)
			}
		}
	}
}

// rows counts the calls of Write.
type rows struct {
	bytes.Buffer
	writes int
}

func (r *rows) Write(p []byte) (int, error) {
	r.writes++
	return r.Buffer.Write(p)
}

// TestARowIsAWrite holds that each line of the compact faces is one Write, so
// that a writer in between can count rows. What a label means comes with the
// first row that has it.
func TestARowIsAWrite(t *testing.T) {
	file := inCapture(t, "base")
	for _, face := range []string{"timeline", "pairs", "messages"} {
		w := &rows{}
		if err := feed(t, makers[face], w, render.Options{Format: render.Compact}, file); err != nil {
			t.Fatal(err)
		}
		labels := strings.Count(w.String(), " = ")
		if lines := strings.Count(w.String(), "\n") - labels; lines != w.writes || lines < 10 {
			t.Errorf("%s: %d lines in %d writes", face, lines, w.writes)
		}
	}
}

// TestSecretsAreRedacted holds that credentials are shown only when asked for:
// AUTH_RESPONSE carries the token.
func TestSecretsAreRedacted(t *testing.T) {
	file := testkit.Capture(t, "connect-auth.pcap")
	const token = "eyJhbGciOi" // how a JSON Web Token begins
	for face, make := range makers {
		for _, format := range both {
			if out := run(t, make, render.Options{Format: format, MaxPayload: 1000}, file); strings.Contains(out, token) {
				t.Errorf("%s %s shows a token", face, format)
			}
		}
	}
	timeline := run(t, makers["timeline"], render.Options{Format: render.Compact}, file)
	if !strings.Contains(timeline, "<redacted ") {
		t.Error("the timeline does not say that it redacts")
	}
	if shown := run(t, makers["timeline"], render.Options{Format: render.Compact, ShowSecrets: true}, file); shown == timeline {
		t.Error("secrets are not shown when asked for")
	}
}

// TestNothingToShow holds that a face which wrote no line says so.
func TestNothingToShow(t *testing.T) {
	for face, make := range makers {
		if face == "analyze" {
			continue
		}
		var out bytes.Buffer
		if err := make(&out, render.Options{Format: render.Compact}).Close(&render.End{}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out.String(), "Nothing to show") {
			t.Errorf("%s: %q", face, out.String())
		}
	}
	var out bytes.Buffer
	if err := makers["analyze"](&out, render.Options{Format: render.Table}).Close(&render.End{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "the capture holds no packets") {
		t.Errorf("analyze of nothing: %q", out.String())
	}
}

// TestWallClock holds that times of day take the place of seconds.
func TestWallClock(t *testing.T) {
	file := inCapture(t, "base")
	for _, face := range []string{"timeline", "pairs", "messages"} {
		out := run(t, makers[face], render.Options{Format: render.Table, WallClock: true}, file)
		if !strings.Contains(out, "17:22:45.280433 ") || !strings.HasPrefix(out, "Times are in UTC, from 2026-11-30 on.") {
			t.Errorf("%s: no times of day in\n%.300s", face, out)
		}
	}
}

// summaryOf writes the record of kind summary.
func summaryOf(t *testing.T, w io.Writer, file string) {
	t.Helper()
	run(t, func(_ io.Writer, o render.Options) render.Sink { return render.NewRecords(w, o).WithSummary() }, render.Options{}, file)
}

func decodeJSON(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// TestSummaryRecord holds that the last record is one line of JSON, the same
// every time, with the figures of the capture.
func TestSummaryRecord(t *testing.T) {
	file := inCapture(t, "base")
	var first string
	for range 3 {
		var out bytes.Buffer
		summaryOf(t, &out, file)
		if first == "" {
			first = out.String()
		}
		if out.String() != first {
			t.Fatalf("two runs differ:\n%s%s", first, out.String())
		}
	}
	if strings.Count(first, "\n") != 1 || !strings.HasSuffix(first, "}\n") {
		t.Errorf("not one line: %q", first)
	}
	var r struct {
		Kind      string
		Packets   int
		Frames    int
		Commands  map[string]map[string]int
		Checksums map[string]int
		Exchanges map[string]struct {
			Results map[string]int
			Latency map[string]int64 `json:"latency_ns"`
		}
		Produced []map[string]any
	}
	decodeJSON(t, []byte(first), &r)
	if r.Kind != "summary" || r.Packets != 76 || r.Frames != 65 || r.Commands["c2s"]["SEND"] != 9 || r.Checksums["ok"] != 18 {
		t.Errorf("got %+v", r)
	}
	send := r.Exchanges["send"]
	if send.Results["ok"] != 9 || send.Latency["count"] != 9 || send.Latency["min"] != 2_517_000 || send.Latency["max"] != 6_928_000 {
		t.Errorf("sends: %+v", send)
	}
	if len(r.Produced) != 1 || r.Produced[0]["topic"] != "persistent://public/default/orders-small-pd-59365" || r.Produced[0]["messages"] != 16.0 {
		t.Errorf("produced: %v", r.Produced)
	}
}
