package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// TestReaders reads from sources that give bytes in their own ways.
func TestReaders(t *testing.T) {
	want := readBytes(t, pcapBytes(30, 50)).packets
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"one byte at a time":  iotest.OneByteReader,
		"half at a time":      iotest.HalfReader,
		"data with its error": iotest.DataErrReader,
	} {
		t.Run(name, func(t *testing.T) {
			for kind, b := range map[string][]byte{
				"pcap": pcapBytes(30, 50), "pcapng": pcapngBytes(30, 50), "gzip": pack(t, "gzip", pcapBytes(30, 50)),
			} {
				got := readFrom(t, wrap(bytes.NewReader(b)))
				got.sound(t, len(want))
				if !samePackets(got.packets, want) {
					t.Errorf("%s: the packets differ", kind)
				}
			}
		})
	}
}

// TestReadError has the disk fail: packets before it are there, the error is told.
func TestReadError(t *testing.T) {
	for name, b := range map[string][]byte{"plain": pcapBytes(30, 50), "packed": pack(t, "zstd", pcapBytes(30, 50))} {
		src := io.MultiReader(bytes.NewReader(b), iotest.ErrReader(os.ErrDeadlineExceeded))
		got := readFrom(t, src)
		var e *Error
		if len(got.packets) != 30 || len(got.errs) != 1 || !errors.Is(got.errs[0], os.ErrDeadlineExceeded) || !errors.As(got.errs[0], &e) {
			t.Errorf("%s: %d packets, errors %v", name, len(got.packets), got.errs)
		}
	}
}

// TestPipe gives each packet out as soon as its bytes are there.
func TestPipe(t *testing.T) {
	r, w := io.Pipe()
	whole := pcapBytes(3, 50)
	received := make(chan uint64)
	go func() {
		defer close(received)
		for p, err := range read1(t, r).Packets() {
			if err != nil {
				t.Error(err)
			}
			received <- p.Number
		}
	}()
	if _, err := w.Write(whole[:24]); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		if _, err := w.Write(whole[24+n*66:][:66]); err != nil {
			t.Fatal(err)
		}
		if got := <-received; got != uint64(n+1) {
			t.Errorf("packet %d, want %d", got, n+1)
		}
	}
	w.Close()
	if _, more := <-received; more {
		t.Error("a packet too many")
	}
}

func read1(t *testing.T, src io.Reader) *Source {
	s, err := Open([]string{"-"}, Options{Stdin: src})
	if err != nil {
		t.Error(err)
		return &Source{feed: &merger{}}
	}
	return s
}

// TestStoppedLoop goes on in a second loop where the first one stopped.
func TestStoppedLoop(t *testing.T) {
	s := read1(t, bytes.NewReader(pcapBytes(10, 50)))
	defer s.Close()
	var seen []uint64
	for range 4 {
		for p := range s.Packets() {
			if seen = append(seen, p.Number); len(seen)%3 == 0 {
				break
			}
		}
	}
	if want := []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}; !slices.Equal(seen, want) {
		t.Error(seen)
	}
}

// TestClosed finds no packets after Close, in whatever state reading was.
func TestClosed(t *testing.T) {
	a, b := writeFile(t, "a", pcapBytes(5, 50)), writeFile(t, "b", pack(t, "gzip", pcapBytes(5, 50)))
	for _, paths := range [][]string{{a}, {b}, {a, b}} {
		s, err := Open(paths, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range s.Packets() {
			break
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		for p, err := range s.Packets() {
			t.Error(p.Number, err)
		}
	}
}

func TestGlobs(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b1.pcap", "b2.pcap", "a[1].pcap"} {
		if err := os.WriteFile(filepath.Join(dir, name), pcapBytes(2, 40), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	odd, glob := filepath.Join(dir, "a[1].pcap"), filepath.Join(dir, "b*.pcap")
	got := read(t, Options{}, odd, glob)
	got.sound(t, 6)
	want := []string{odd, filepath.Join(dir, "b1.pcap"), filepath.Join(dir, "b2.pcap")}
	if !slices.Equal(got.source.Files(), want) {
		t.Error(got.source.Files())
	}
	for paths, text := range map[string]string{
		filepath.Join(dir, "c*"): "c*: no file is named like this",
		filepath.Join(dir, "[*"): "syntax error in pattern",
		filepath.Join(dir, "c"):  "c: no such file or directory",
		dir:                      ": a directory; name the files in it, as in DIR/*.pcap",
	} {
		if _, err := Open([]string{paths}, Options{}); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %q", err, text)
		}
	}
	if _, err := Open(nil, Options{}); err == nil {
		t.Error("no error without files")
	}
}

// TestOpenTellsOfEveryFile has two that are bad, one of them stdin named twice.
func TestOpenTellsOfEveryFile(t *testing.T) {
	good := writeFile(t, "good", pcapBytes(1, 40))
	_, err := Open([]string{good, "/no/such", good + "/x"}, Options{})
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Error(err)
	}
	_, err = Open([]string{"-", good, "-"}, Options{Stdin: bytes.NewReader(pcapBytes(1, 40))})
	if err == nil || !strings.Contains(err.Error(), "standard input is named twice") {
		t.Error(err)
	}
}

func TestProgress(t *testing.T) {
	random, data := rand.New(rand.NewPCG(7, 8)), make([]byte, 1500)
	f := (&fileBuilder{order: binary.LittleEndian}).pcapHeader(0xa1b2c3d4, 65535, 1)
	for range 3000 {
		for i := range data { // that no codec makes smaller
			data[i] = byte(random.Uint32())
		}
		f.record(1, 0, data, 1500)
	}
	b := f.b
	for name, data := range map[string][]byte{"plain": b, "lz4": pack(t, "lz4", b)} {
		var done, totals []int64
		o := Options{Progress: func(d, total int64) { done, totals = append(done, d), append(totals, total) }}
		read(t, o, writeFile(t, "file", data), writeFile(t, "second", data)).sound(t, 6000)
		size := int64(2 * len(data))
		if len(done) == 0 || len(done) > int(size>>20)+1 || !slices.IsSorted(done) || done[len(done)-1] > size {
			t.Errorf("%s: %v of %d", name, done, size)
		}
		if totals[0] != size {
			t.Errorf("%s: total %d, want %d", name, totals[0], size)
		}
	}
	o := Options{Stdin: bytes.NewReader(b), Progress: func(_, total int64) {
		if total != 0 {
			t.Error("a total of standard input:", total)
		}
	}}
	read(t, o, "-").sound(t, 3000)
}

func TestStats(t *testing.T) {
	f := (&fileBuilder{order: binary.LittleEndian}).section().iface(1, 0).iface(113, 0)
	for _, units := range []uint64{5_000, 9_000, 8_000, 8_500, 4_000, 9_000} {
		f.epb(uint32(units/1000%2), units, []byte("abc"), 5)
	}
	f.spb([]byte("abc"), 3)
	st := readBytes(t, f.b).source.Stats().Files[0]
	slices.SortFunc(st.Links, func(a, b LinkCount) int { return int(a.Link) - int(b.Link) })
	st.before = 0
	want := FileStats{
		Name: "standard input", Packets: 7, Bytes: 21, WireBytes: 33, First: 4_000_000, Last: 9_000_000, NoTime: 1, Truncated: 6,
		StepsBack: 2, LargestStepBack: 5_000_000,
	}
	links := []LinkCount{{1, 4}, {113, 3}}
	if !slices.Equal(st.Links, links) {
		t.Errorf("links %v, want %v", st.Links, links)
	}
	if st.Links = nil; !sameStats(st, want) {
		t.Errorf("got  %+v\nwant %+v", st, want)
	}
}

func sameStats(a, b FileStats) bool {
	return a.Name == b.Name && a.Packets == b.Packets && a.Bytes == b.Bytes && a.WireBytes == b.WireBytes &&
		a.First == b.First && a.Last == b.Last && a.NoTime == b.NoTime && a.Truncated == b.Truncated &&
		a.StepsBack == b.StepsBack && a.LargestStepBack == b.LargestStepBack
}

// TestStatedSizeIsNotAllocated has a record that claims far more than there is.
func TestStatedSizeIsNotAllocated(t *testing.T) {
	f := (&fileBuilder{order: binary.LittleEndian}).pcapHeader(0xa1b2c3d4, 65535, 1)
	f.u32(1, 0, maxCaptured, maxCaptured).bytes(1, 2, 3)
	ng := (&fileBuilder{order: binary.LittleEndian}).section().iface(1, 0)
	ng.u32(6, maxCaptured).bytes(make([]byte, 30)...)
	for _, b := range [][]byte{f.b, ng.b} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		readBytes(t, b)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 3<<20 {
			t.Errorf("%d bytes for a file of %d", got, len(b))
		}
	}
}

// TestNoAllocationPerPacket reads ten times as many packets with as many allocations.
func TestNoAllocationPerPacket(t *testing.T) {
	for name, build := range map[string]func(int, int) []byte{"pcap": pcapBytes, "pcapng": pcapngBytes} {
		few, many := allocations(t, build(100, 200)), allocations(t, build(10_000, 200))
		if many > few+2 {
			t.Errorf("%s: %v allocations for 100 packets, %v for 10000", name, few, many)
		}
	}
}

func allocations(t *testing.T, b []byte) float64 {
	return testing.AllocsPerRun(3, func() {
		s := read1(t, bytes.NewReader(b))
		for _, err := range s.Packets() {
			if err != nil {
				t.Error(err)
			}
		}
	})
}
