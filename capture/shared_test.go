package capture

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pulsar-dissect/internal/testkit"
)

// TestCaptures holds every shared capture against what the independent decoder
// counted: packets and the earliest and latest time.
func TestCaptures(t *testing.T) {
	dir := filepath.Join(testkit.Shared(t), "captures")
	records, err := filepath.Glob(filepath.Join(dir, "oracle", "*.oracle.jsonl.zst"))
	if err != nil || len(records) < 200 {
		t.Fatal(len(records), err)
	}
	for _, path := range records {
		name := strings.TrimSuffix(filepath.Base(path), ".oracle.jsonl.zst")
		t.Run(name, func(t *testing.T) { checkCapture(t, dir, name) })
	}
}

func checkCapture(t *testing.T, dir, name string) {
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		path += ".zst"
	}
	got := read(t, Options{}, path)
	if len(got.errs) > 0 {
		t.Fatal(got.errs)
	}
	for record := range testkit.Oracle(t, name) {
		st := got.source.Stats().Files[0]
		want := [3]int64{number(t, record["packets"]), number(t, record["first_ts"]), number(t, record["last_ts"])}
		if have := [3]int64{int64(len(got.packets)), st.First, st.Last}; have != want {
			t.Errorf("packets, first and last time: %v, want %v", have, want)
		}
		return
	}
	t.Error("no record")
}

func number(t *testing.T, v any) int64 {
	n, err := v.(json.Number).Int64()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestOthersCaptures holds captures of other projects against what another tool
// says of them.
func TestOthersCaptures(t *testing.T) {
	dir := filepath.Join(testkit.Shared(t), "thirdparty")
	b, err := os.ReadFile(filepath.Join(dir, "facts.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(strings.NewReader(string(b)))
	r.Comma, r.LazyQuotes = '\t', true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, row := range rows {
		name, kind, packets := row[0], row[2], row[4]
		if !strings.Contains(kind, "pcap") {
			continue
		}
		checked++
		t.Run(name, func(t *testing.T) {
			got := read(t, Options{}, filepath.Join(dir, name))
			if want, _ := strconv.Atoi(packets); len(got.packets) != want || len(got.errs) > 0 {
				t.Errorf("%d packets, want %d; errors %v, warnings %v", len(got.packets), want, got.errs, got.warnings)
			}
		})
	}
	if checked < 150 {
		t.Errorf("only %d files", checked)
	}
}
