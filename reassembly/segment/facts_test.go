package segment

import (
	"bufio"
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// record is what another decoder found in a capture: a file record, then one for
// each connection.
type record struct {
	Kind    string
	Links   map[string]uint64
	NotUsed map[string]uint64 `json:"not_used"`
	Dir     map[string]struct {
		Bytes, Packets        uint64
		RetransmittedSegments uint64 `json:"retransmitted_segments"`
	}
}

// facts are those records added up.
type facts struct {
	segments, bytes uint64
	repeated        bool // some bytes were sent twice, and bytes counts them once
	links, notUsed  map[string]uint64
}

func readFacts(t *testing.T, path string) (f facts) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := zstd.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && f.add(t, lines.Bytes()) {
	}
	return f
}

// add is false after the last connection.
func (f *facts) add(t *testing.T, line []byte) bool {
	if !bytes.HasPrefix(line, []byte(`{"kind": "file"`)) && !bytes.HasPrefix(line, []byte(`{"kind": "conn"`)) {
		return false
	}
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		t.Fatal(err)
	}
	if r.Kind == "file" {
		f.links, f.notUsed = r.Links, r.NotUsed
	}
	for _, d := range r.Dir {
		f.segments += d.Packets
		f.bytes += d.Bytes
		f.repeated = f.repeated || d.RetransmittedSegments > 0
	}
	return true
}

// TestFacts holds every link type, tunnel and bad network of the captures
// against what an independent decoder counted.
func TestFacts(t *testing.T) {
	seen := 0
	for _, group := range []string{"link-*", "net-*", "tso-*", "seg-*", "file-snap*", "mixed*", "file-ng-*"} {
		paths, _ := filepath.Glob(filepath.Join(shared(t, "captures", "oracle"), group+".oracle.jsonl.zst"))
		for _, path := range paths {
			seen++
			name := strings.TrimSuffix(filepath.Base(path), ".oracle.jsonl.zst")
			t.Run(name, func(t *testing.T) { holdAgainst(t, readFacts(t, path), shared(t, "captures", name)) })
		}
	}
	if seen < 70 {
		t.Errorf("only %d captures were compared", seen)
	}
}

func holdAgainst(t *testing.T, want facts, path string) {
	p := NewParser(Limits{})
	length := uint64(0)
	for _, pkt := range readCapture(t, path) {
		var out Segment
		if p.Parse(&pkt, &out) == OK {
			length += uint64(len(out.Data))
		}
	}
	got := p.Stats()
	if got.Packets[OK] != want.segments {
		t.Errorf("%d segments, want %d", got.Packets[OK], want.segments)
	}
	if length < want.bytes || length != want.bytes && !want.repeated {
		t.Errorf("%d bytes of payload, want %d", length, want.bytes)
	}
	if links := linksByName(got.Links); !maps.Equal(links, want.links) {
		t.Errorf("link types %v, want %v", links, want.links)
	}
	if reasons := otherReasons(got); !maps.Equal(reasons, want.notUsed) {
		t.Errorf("not used %v, want %v", reasons, want.notUsed)
	}
}

func linksByName(counts []LinkCount) map[string]uint64 {
	m := map[string]uint64{}
	for _, c := range counts {
		m[strings.TrimPrefix(c.Name, "LINUX_")] += c.Packets
	}
	return m
}

func otherReasons(s Stats) map[string]uint64 {
	m := map[string]uint64{}
	for r := OK + 1; r < Reasons; r++ {
		if s.Packets[r] > 0 {
			m[r.String()] = s.Packets[r]
		}
	}
	if s.Cut > 0 {
		m["cut_by_snaplen"] = s.Cut
	}
	return m
}

// Real packets of every link type and tunnel, cut at every byte: a segment, if
// there still is one, has the same place and length.
func TestRealPacketsTruncated(t *testing.T) {
	paths, _ := filepath.Glob(filepath.Join(shared(t, "captures"), "link-*.pcap"))
	for _, path := range paths {
		for _, pkt := range readCapture(t, path)[:12] {
			var whole, part Segment
			if NewParser(Limits{}).Parse(&pkt, &whole) != OK {
				continue // a fragment
			}
			data, segments := pkt.Data, 0
			for n := range data {
				pkt.Data = data[:n:n]
				if NewParser(Limits{}).Parse(&pkt, &part) != OK {
					continue
				}
				segments++
				if part.Sequence != whole.Sequence || part.Length != whole.Length || !bytes.HasPrefix(whole.Data, part.Data) {
					t.Fatalf("%s, packet %d, %d of %d bytes: %+v; whole %+v", path, pkt.Number, n, len(data), part, whole)
				}
			}
			if segments < whole.Length {
				t.Errorf("%s, packet %d: %d bytes of payload, but only %d cuts gave a segment", path, pkt.Number, whole.Length, segments)
			}
		}
	}
}
