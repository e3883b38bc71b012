package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pulsar-dissect/internal/traffic"
)

// The sizes of the two captures by whose difference a frame's share is told, so
// that what a run costs once does not count.
const (
	lesserSize  = 2_000_000
	greaterSize = 8_000_000
)

// allowances are the allocations for a thousand frames beyond which a change is
// held to have brought one for each frame, packet or message to a path that had
// none: several times what was counted when they were set (in brackets). What is
// left are the objects of a connection, its producers and its consumers.
var allowances = []struct {
	args     string
	shape    traffic.Shape
	thousand float64
}{
	{"analyze --no-findings", smallFrames, 500},                      // (114)
	{"timeline -o json", smallFrames, 200},                           // (20)
	{"events -o json --no-findings", smallFrames, 200},               // (22)
	{"events -o json", smallFrames, 500},                             // (153)
	{"timeline -o json", largeFrames, 8_000},                         // (2,617: packets are many, and frames few)
	{"events -o json --no-findings --no-sha256", largeFrames, 8_000}, // (3,172)
}

var (
	smallFrames = traffic.Shape{Source: "../../testdata/captures/load-small-head/load-small-head.pcap.zst", Segment: 1448, Dense: true}
	largeFrames = traffic.Shape{Source: "../../testdata/captures/tso-bigmsgs/tso-bigmsgs.pcap", Segment: 1448, Dense: true}
)

// A frame costs no allocation: counts do not depend on the machine's load.
func TestAllocations(t *testing.T) {
	for _, a := range allowances {
		var objects, frames [2]float64
		for i, size := range []int64{lesserSize, greaterSize} {
			path := made(t, a.shape, size)
			frames[i] = float64(framesOf(t, path))
			objects[i] = float64(allocations(t, append(strings.Fields(a.args), path)))
		}
		thousand := 1000 * (objects[1] - objects[0]) / (frames[1] - frames[0])
		t.Logf("%s: %.0f allocations for 1,000 frames, of %.0f", a.args, thousand, frames[1])
		if thousand > a.thousand {
			t.Errorf("%s: %.0f allocations for 1,000 frames, want %.0f at most", a.args, thousand, a.thousand)
		}
	}
}

// made makes a capture.
func made(t *testing.T, s traffic.Shape, size int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made.pcap")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := traffic.Write(f, s, size); err != nil {
		t.Fatal(err)
	}
	return path
}

// execute runs a command line and gives what it writes to out.
func execute(t *testing.T, args []string, out io.Writer) {
	t.Helper()
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(out)
	if err := root.ExecuteContext(context.Background()); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
}

// allocations counts the objects that a run allocates.
func allocations(t *testing.T, args []string) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	execute(t, args, io.Discard)
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}

// framesOf counts the frames of a capture.
func framesOf(t *testing.T, path string) int {
	t.Helper()
	var out bytes.Buffer
	execute(t, []string{"analyze", "--no-findings", "-o", "json", path}, &out)
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	var summary struct{ Frames int }
	if err := json.Unmarshal(lines[len(lines)-1], &summary); err != nil || summary.Frames == 0 {
		t.Fatalf("no summary: %v: %s", err, lines[len(lines)-1])
	}
	return summary.Frames
}
