package diagnose

import (
	"os"
	"path/filepath"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/internal/wiremake"
)

// packetsOf reads all packets of a capture.
func packetsOf(t *testing.T, path string) (out []capture.Packet) {
	t.Helper()
	src, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for p, err := range src.Packets() {
		if err != nil {
			t.Fatal(err)
		}
		p.Data = append([]byte(nil), p.Data...)
		out = append(out, p)
	}
	return out
}

// TestLossIsNoFault: a healthy capture without some of its packets is a bad
// capture, and nothing else.
func TestLossIsNoFault(t *testing.T) {
	paths := []string{filepath.Join(testkit.Root(t), "testdata", "captures", "base", "base.pcap")}
	if more := os.Getenv("DIAGNOSE_LOSS"); more != "" {
		found, err := filepath.Glob(filepath.Join(testkit.Shared(t), "captures", more))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		all := packetsOf(t, path)
		step := max(1, len(all)/200)
		for k := 0; k < len(all); k += step {
			without := append(append([]capture.Packet(nil), all[:k]...), all[min(k+1, len(all)):]...)
			without3 := append(append([]capture.Packet(nil), all[:k]...), all[min(k+3, len(all)):]...)
			for what, packets := range map[string][]capture.Packet{"without": without, "without 3 from": without3, "from": all[k:], "up to": all[:k]} {
				for _, f := range diagnosePackets(t, wiremake.Source(packets), decrypt.Options{}, Thresholds{}) {
					if f.Severity > Info && f.Rule != captureQuality {
						t.Errorf("%s, %s packet %d: %s", filepath.Base(path), what, k+1, say(f))
					}
				}
			}
		}
	}
}
