package segment

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pulsar-dissect/capture"
)

// shared is a path in the folder of captures beside the module; without it the
// test is skipped.
func shared(t testing.TB, parts ...string) string {
	t.Helper()
	root := os.Getenv("PULSAR_SHARED")
	for dir, _ := os.Getwd(); root == "" && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			root = filepath.Join(filepath.Dir(dir), "shared")
		}
	}
	path := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no %s here (PULSAR_SHARED names the folder of captures)", filepath.Join(parts...))
	}
	return path
}

// readCapture gives the packets of a file, each with its own bytes.
func readCapture(t testing.TB, path string) (all []capture.Packet) {
	t.Helper()
	source, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	for p, err := range source.Packets() {
		if err != nil {
			t.Fatal(err)
		}
		p.Data = slices.Clone(p.Data)
		all = append(all, p)
	}
	return all
}
