package capture

import (
	"bytes"
	"compress/bzip2"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"pulsar-dissect/internal/testkit"
)

// reading is all that came of a Source.
type reading struct {
	packets  []Packet // each with its own bytes
	errs     []error
	warnings []Warning
	source   *Source
}

// read reads paths to their end.
func read(t testing.TB, o Options, paths ...string) reading {
	t.Helper()
	var r reading
	o.Warn = func(w Warning) { r.warnings = append(r.warnings, w) }
	s, err := Open(paths, o)
	if err != nil {
		t.Fatal(err)
	}
	r.source = s
	for p, err := range s.Packets() {
		if err != nil {
			r.errs = append(r.errs, err)
			continue
		}
		p.Data = bytes.Clone(p.Data)
		r.packets = append(r.packets, p)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return r
}

func readFrom(t testing.TB, src io.Reader) reading {
	t.Helper()
	return read(t, Options{Stdin: src}, "-")
}

func readBytes(t testing.TB, b []byte) reading {
	t.Helper()
	return readFrom(t, bytes.NewReader(b))
}

// sound fails the test unless there are n packets and no complaint.
func (r reading) sound(t testing.TB, n int) {
	t.Helper()
	if len(r.packets) != n || len(r.errs) > 0 || len(r.warnings) > 0 {
		t.Fatalf("%d packets, want %d; errors %v, warnings %v", len(r.packets), n, r.errs, r.warnings)
	}
}

// broken fails the test unless there are n packets and then one error at a byte.
func (r reading) broken(t testing.TB, n int, at int64) {
	t.Helper()
	var e *Error
	if len(r.packets) != n || len(r.errs) != 1 || !errors.As(r.errs[0], &e) || e.Byte != at {
		t.Fatalf("%d packets, want %d; errors %v, want one at byte %d; warnings %v", len(r.packets), n, r.errs, at, r.warnings)
	}
}

// warned fails the test unless there are n packets and one warning at a byte.
func (r reading) warned(t testing.TB, n int, at int64) {
	t.Helper()
	if len(r.packets) != n || len(r.errs) > 0 || len(r.warnings) != 1 || r.warnings[0].Byte != at {
		t.Fatalf("%d packets, want %d; errors %v, warnings %v, want one at byte %d", len(r.packets), n, r.errs, r.warnings, at)
	}
}

// samePackets tells whether both hold the same packets, numbers and files aside.
func samePackets(a, b []Packet) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		p, q := a[i], b[i]
		if p.Time != q.Time || p.Link != q.Link || p.OrigLen != q.OrigLen || p.FileEnds != q.FileEnds || !bytes.Equal(p.Data, q.Data) {
			return false
		}
	}
	return true
}

const basePackets = 76

// basePcap is a real capture of basePackets packets.
func basePcap(t testing.TB) []byte {
	t.Helper()
	b, err := io.ReadAll(bzip2.NewReader(bytes.NewReader(baseBzip2(t))))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func baseBzip2(t testing.TB) []byte {
	t.Helper()
	return testkit.Testdata(t, "captures", "containers", "base.pcap.bz2")
}

// writeFile gives the path of a new file.
func writeFile(t testing.TB, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
