package scrub_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/internal/wiremake"
)

// damages are ways to lose parts of a capture: whether a packet is kept, and how
// many bytes of it.
var damages = []struct {
	name string
	keep func(i, of int) bool
	snap int // bytes; 0: all
}{
	{"every third packet lost", func(i, _ int) bool { return i%3 != 2 }, 0},
	{"every seventh packet lost", func(i, _ int) bool { return i%7 != 5 }, 0},
	{"its beginning lost", func(i, of int) bool { return i > of/3 }, 0},
	{"its middle lost", func(i, of int) bool { return i < of/3 || i > of/2 }, 0},
	{"packets cut", func(int, int) bool { return true }, 200},
	{"packets cut in headers", func(int, int) bool { return true }, 75},
}

// damaged writes what is left of a capture.
func damaged(t *testing.T, path string, keep func(i, of int) bool, snap int) string {
	t.Helper()
	var all, kept []capture.Packet
	for p, err := range open(t, path).Packets() {
		if err != nil {
			t.Fatal(err)
		}
		p.Data = append([]byte(nil), p.Data...)
		all = append(all, p)
	}
	for i, p := range all {
		if snap > 0 {
			p.Data = p.Data[:min(len(p.Data), snap)]
		}
		if keep(i, len(all)) {
			kept = append(kept, p)
		}
	}
	out := filepath.Join(t.TempDir(), "damaged.pcap")
	if err := os.WriteFile(out, wiremake.Pcap(kept), 0o600); err != nil {
		t.Fatal(err)
	}
	return out
}

// Captures with holes, without a beginning, and of short packets show the same
// when scrubbed.
func TestDamaged(t *testing.T) {
	for _, name := range []string{"tls13", "tls12-cbc", "tls12-resume", "tls12-handshake-fails", "bookkeeper", "haproxy-v2-both"} {
		path := filepath.Join(testkit.Root(t), "testdata", "captures", name, name+".pcap")
		for _, d := range damages {
			t.Run(fmt.Sprint(name, ", ", d.name), func(t *testing.T) { checkAll(t, []string{damaged(t, path, d.keep, d.snap)}, 1) })
		}
	}
}
