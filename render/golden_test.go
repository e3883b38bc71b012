package render_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/render"
)

var update = flag.Bool("update", false, "write the golden files anew")

// goldens are what faces show of real captures: files under testdata/golden.
var goldens = []struct {
	capture string
	face    string
	formats []render.Format
}{
	{"base", "analyze", both},
	{"base", "timeline", both},
	{"base", "pairs", both},
	{"base", "messages", both},
	{"ack", "analyze", both},
	{"ack", "pairs", table},
	{"bookkeeper", "analyze", table},
	{"bookkeeper", "timeline", table},
	{"cap-gap3", "analyze", table},
	{"cap-gap3", "timeline", table},
	{"go-chunk", "messages", table},
	{"go-chunk", "timeline", table},
	{"go-errors", "timeline", both},
	{"mixed", "ladder", table},
	{"go-errors", "pairs", table},
	{"haproxy-v2-back", "timeline", table},
	{"haproxy-v2-both", "pairs", table},
	{"mixed", "analyze", both},
	{"mixed", "timeline", table},
	{"net-portreuse", "analyze", table},
	{"net-portreuse", "timeline", table},
	{"producer-errors", "analyze", both},
	{"producer-errors", "timeline", table},
	{"rust-codecs", "messages", table},
	{"txn", "txns", both},
	{"txn", "analyze", table},
	{"py-schema", "messages", table},
	{"wrongport-nothing-listens", "analyze", table},
	{"wrongport-nothing-listens", "timeline", table},
	{"wrongport-pulsar-to-8080", "analyze", both},
	{"wrongport-pulsar-to-8080", "timeline", table},
}

var (
	both  = []render.Format{render.Table, render.Compact}
	table = []render.Format{render.Table}
)

func TestGoldens(t *testing.T) {
	for _, g := range goldens {
		for _, format := range g.formats {
			name := g.capture + "." + g.face + "." + string(format)
			t.Run(name, func(t *testing.T) {
				o := render.Options{Format: format, MaxPayload: 1024}
				if format == render.Table {
					o.Width = 140
				}
				golden := filepath.Join(testkit.Root(t), "render", "testdata", "golden", name)
				compareGolden(t, golden, run(t, makers[g.face], o, inCapture(t, g.capture)))
			})
		}
	}
}

// compareGolden holds text against a file, or writes the file.
func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if line, a, b := firstDifference(string(want), got); line > 0 {
		t.Errorf("line %d differs (go test ./render -update writes it anew)\nwant %s\ngot  %s", line, a, b)
	}
}
