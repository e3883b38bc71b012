package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// timedPcap is a file of packets at these seconds; data is name and number.
func timedPcap(name string, seconds ...uint32) []byte {
	f := (&fileBuilder{order: binary.LittleEndian}).pcapHeader(0xa1b2c3d4, 65535, 1)
	for i, s := range seconds {
		data := fmt.Sprint(name, i+1)
		f.record(s, 0, []byte(data), len(data))
	}
	return f.b
}

func contents(packets []Packet) string {
	var all []string
	for _, p := range packets {
		all = append(all, fmt.Sprintf("%d:%s", p.Number, p.Data))
	}
	return strings.Join(all, " ")
}

func TestMerge(t *testing.T) {
	a := writeFile(t, "a", timedPcap("a", 10, 20, 5, 30))
	b := writeFile(t, "b", pack(t, "zstd", timedPcap("b", 10, 15, 30, 40)))
	c := writeFile(t, "c", timedPcap("c"))
	got := read(t, Options{Stdin: bytes.NewReader(timedPcap("i", 12))}, a, "-", b, c)
	got.sound(t, 9)
	if want := "1:a1 2:b1 3:i1 4:b2 5:a2 6:a3 7:a4 8:b3 9:b4"; contents(got.packets) != want {
		t.Errorf("got  %s\nwant %s", contents(got.packets), want)
	}
	if p := got.packets[2]; p.File != 1 {
		t.Error("standard input is file", p.File)
	}
}

// TestMergeAgainstModel merges random files; the model looks at every file for
// each packet.
func TestMergeAgainstModel(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		var paths []string
		var files [][]uint32
		for i := range 1 + random.IntN(9) {
			seconds := make([]uint32, random.IntN(20))
			for j := range seconds {
				seconds[j] = 100 + random.Uint32N(30)
			}
			files = append(files, seconds)
			paths = append(paths, writeFile(t, fmt.Sprint(i), timedPcap(string(rune('a'+i)), seconds...)))
		}
		got := read(t, Options{}, paths...)
		if want := modelMerge(files); contents(got.packets) != want {
			t.Fatalf("%v:\ngot  %s\nwant %s", files, contents(got.packets), want)
		}
	}
}

func modelMerge(files [][]uint32) string {
	var all []string
	at := make([]int, len(files))
	for {
		least := -1
		for i, f := range files {
			if at[i] < len(f) && (least < 0 || f[at[i]] < files[least][at[least]]) {
				least = i
			}
		}
		if least < 0 {
			return strings.Join(all, " ")
		}
		at[least]++
		all = append(all, fmt.Sprintf("%d:%c%d", len(all)+1, 'a'+least, at[least]))
	}
}

// TestMergeGoesOn has a file that breaks and one that is gone by then.
func TestMergeGoesOn(t *testing.T) {
	damaged := timedPcap("a", 10, 11, 12, 13, 14, 15)
	copy(damaged[24+18*2:], bytes.Repeat([]byte{0xff}, 16))
	a, b := writeFile(t, "a", damaged), writeFile(t, "b", timedPcap("b", 9, 16))
	gone := writeFile(t, "gone", timedPcap("c", 12))
	s, err := Open([]string{a, b, gone}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	var seen []string
	for p, err := range s.Packets() {
		var e *Error
		switch {
		case errors.Is(err, os.ErrNotExist):
			seen = append(seen, "gone")
		case errors.As(err, &e):
			seen = append(seen, fmt.Sprint("broken at ", e.Byte))
		default:
			seen = append(seen, string(p.Data))
		}
	}
	want := []string{"b1", "a1", "a2", "broken at 60", "gone", "b2"}
	if !slices.Equal(seen, want) {
		t.Errorf("got %q, want %q", seen, want)
	}
}

// TestMergeManyFiles opens more files than are open at once by far.
func TestMergeManyFiles(t *testing.T) {
	var paths []string
	for i := range 200 {
		paths = append(paths, writeFile(t, "part", timedPcap("p", 1000+uint32(i)*10, 1005+uint32(i)*10)))
	}
	slices.Reverse(paths)
	s, err := Open(paths, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n, most := 0, 0
	for p, err := range s.Packets() {
		if err != nil {
			t.Fatal(err)
		}
		if want := int64(1000+n*5) * 1e9; p.Time != want {
			t.Fatalf("packet %d at %d, want %d", p.Number, p.Time, want)
		}
		n++
		most = max(most, openInputs(s))
	}
	if n != 400 || most > 2 {
		t.Errorf("%d packets, %d files open at once", n, most)
	}
}

func openInputs(s *Source) (n int) {
	for _, in := range s.inputs {
		if in.closers != nil {
			n++
		}
	}
	return n
}

// TestMergeWarnsOnce looks at files twice and tells of their faults once.
func TestMergeWarnsOnce(t *testing.T) {
	cut := timedPcap("a", 1, 2)
	ng := (&fileBuilder{order: binary.LittleEndian}).section().epb(5, 0, nil, 0).iface(1, 0)
	ng.block(10, func() { ng.u32(0x544c534b, 4).bytes([]byte("keys")...) })
	got := read(t, Options{}, writeFile(t, "cut", cut[:len(cut)-1]), writeFile(t, "ng", ng.epb(0, 1, nil, 0).b))
	if len(got.warnings) != 2 || len(got.packets) != 3 {
		t.Errorf("%d packets, warnings %v", len(got.packets), got.warnings)
	}
	if n := len(got.source.Secrets()); n != 1 {
		t.Error(n, "secrets")
	}
	if st := got.source.Stats().Files; st[0].Packets != 2 || st[1].Packets != 1 {
		t.Errorf("%+v", st)
	}
}
