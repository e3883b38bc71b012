package capture

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pulsar-dissect/internal/testkit"
)

// With Partial the files that can be opened are read, wherever the others
// stand among them, and each of the latter is told of once.
func TestPartial(t *testing.T) {
	dir := t.TempDir()
	page, empty := filepath.Join(dir, "page.pcap"), filepath.Join(dir, "empty.pcap")
	for path, content := range map[string]string{page: "<!doctype html>", empty: ""} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	base := filepath.Join(testkit.Root(t), "testdata", "captures", "base", "base.pcap")
	missing := filepath.Join(dir, "missing.pcap")
	for _, v := range []struct {
		paths []string
		want  []string // of the errors, in order
	}{
		{[]string{base}, nil},
		{[]string{page, base}, []string{"HTML"}},
		{[]string{base, page}, []string{"HTML"}},
		{[]string{missing, base, empty}, []string{"no such file", "it is empty"}},
	} {
		r := read(t, Options{Partial: true}, v.paths...)
		if len(r.packets) != 76 || len(r.errs) != len(v.want) {
			t.Errorf("%v: %d packets, errors %v", v.paths, len(r.packets), r.errs)
			continue
		}
		for i, want := range v.want {
			if !strings.Contains(r.errs[i].Error(), want) {
				t.Errorf("%v: %v, want %s", v.paths, r.errs[i], want)
			}
		}
		if got := r.source.Stats(); len(got.Files) != len(v.paths) {
			t.Errorf("%v: statistics of %d files", v.paths, len(got.Files))
		}
	}
}

// Standard input that is no capture has been looked at, and is not read again.
func TestPartialStdin(t *testing.T) {
	base := filepath.Join(testkit.Root(t), "testdata", "captures", "base", "base.pcap")
	r := read(t, Options{Partial: true, Stdin: bytes.NewReader([]byte("%PDF-1.7 and so on"))}, "-", base)
	if len(r.packets) != 76 || len(r.errs) != 1 || !strings.Contains(r.errs[0].Error(), "standard input: no capture: it looks like a PDF") {
		t.Errorf("%d packets, errors %v", len(r.packets), r.errs)
	}
}

// Where none can be opened, or Partial is not asked for, Open fails.
func TestNotPartial(t *testing.T) {
	base := filepath.Join(testkit.Root(t), "testdata", "captures", "base", "base.pcap")
	missing := filepath.Join(t.TempDir(), "missing.pcap")
	for _, v := range []struct {
		partial bool
		paths   []string
	}{{true, []string{missing}}, {true, []string{missing, missing}}, {false, []string{base, missing}}} {
		if s, err := Open(v.paths, Options{Partial: v.partial}); err == nil {
			t.Errorf("partial %v, %v: opened", v.partial, v.paths)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
