package testkit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestRoot(t *testing.T) {
	if _, err := os.Stat(filepath.Join(Root(t), "internal", "testkit", "testkit.go")); err != nil {
		t.Error(err)
	}
}

func TestTestdata(t *testing.T) {
	if got := string(Testdata(t, "vectors", "go-hello.lz4")); got != "\x50hello" {
		t.Errorf("got %q", got)
	}
}

func TestSharedByEnvironment(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(SharedEnv, dir)
	if got := Shared(t); got != dir {
		t.Errorf("got %q", got)
	}
}

func TestOracle(t *testing.T) {
	var kinds []any
	exact := false
	for r := range Oracle(t, "base") {
		kinds = append(kinds, r["kind"])
		_, number := r["ts"].(json.Number)
		exact = exact || number
	}
	if len(kinds) < 3 || kinds[0] != "file" || kinds[len(kinds)-1] != "summary" || !exact {
		t.Errorf("%d records, numbers exact: %v", len(kinds), exact)
	}
}

// TestOracleStops: a reader that has enough is not asked again.
func TestOracleStops(t *testing.T) {
	n := 0
	for range Oracle(t, "file-base.pcapng") {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d records", n)
	}
}

func TestSkips(t *testing.T) {
	skipped := false
	t.Run("missing", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		Capture(t, "no-such-capture.pcap")
	})
	if !skipped {
		t.Error("a capture that is missing does not skip the test")
	}
}
