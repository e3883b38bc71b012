package evidence

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pulsar-dissect/capture"
)

const second = int64(time.Second)

// packets gives so many of 100 to 199 bytes, ten a second.
func packets(n int) (all []capture.Packet) {
	random := rand.New(rand.NewSource(1))
	for i := range n {
		data := make([]byte, 100+i%100)
		random.Read(data)
		all = append(all, capture.Packet{Number: uint64(i + 1), Time: 1000*second + int64(i)*second/10, Link: 1, Data: data, OrigLen: len(data)})
	}
	return all
}

func noStats() capture.Stats { return capture.Stats{Files: make([]capture.FileStats, 1)} }

func someStats() capture.Stats {
	return capture.Stats{Files: []capture.FileStats{{Interfaces: []capture.InterfaceStats{{Received: 50}}}}}
}

// keep gives packets to a keeper from a buffer that is used again.
func keep(k *Keeper, all []capture.Packet) {
	buffer := make([]byte, 1000)
	for _, p := range all {
		p.Data = buffer[:copy(buffer, p.Data)]
		k.Add(&p)
	}
}

func newKeeper(t *testing.T, o Options) *Keeper {
	t.Helper()
	o.Path = filepath.Join(t.TempDir(), "x.pcapng")
	o.Stats = noStats
	k, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// read gives the packets of files.
func read(t *testing.T, paths []string) (all []capture.Packet) {
	t.Helper()
	for _, path := range paths {
		src, err := capture.Open([]string{path}, capture.Options{Warn: func(w capture.Warning) { t.Error(w) }})
		if err != nil {
			t.Fatal(err)
		}
		for p, err := range src.Packets() {
			if err != nil {
				t.Fatal(err)
			}
			p.Data = bytes.Clone(p.Data)
			all = append(all, p)
		}
		src.Close()
	}
	return all
}

func compare(t *testing.T, got, want []capture.Packet) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d packets, want %d", len(got), len(want))
	}
	for i := range got {
		if !bytes.Equal(got[i].Data, want[i].Data) || got[i].Time != want[i].Time {
			t.Fatalf("packet %d is another", i+1)
		}
	}
}

func TestEverything(t *testing.T) {
	k, all := newKeeper(t, Options{}), packets(30_000)
	keep(k, all)
	if err := k.Close(); err != nil || k.Written() != 30_000 {
		t.Fatal(err, k.Written())
	}
	compare(t, read(t, k.Files()), all)
}

// Files stay below the limit, and only the last ones stay.
func TestRotation(t *testing.T) {
	k, all := newKeeper(t, Options{RotateSize: 5000, Keep: 3}), packets(500)
	keep(k, all)
	if err := k.Close(); err != nil || len(k.Files()) != 3 {
		t.Fatal(err, k.Files())
	}
	there, _ := filepath.Glob(filepath.Join(filepath.Dir(k.Files()[0]), "*"))
	if fmt.Sprint(there) != fmt.Sprint(k.Files()) || !strings.HasSuffix(there[2], "-00020.pcapng") {
		t.Errorf("there are %q", there)
	}
	for _, path := range there {
		if info, err := os.Stat(path); err != nil || info.Size() > 5000 {
			t.Errorf("%s: %d bytes, %v", path, info.Size(), err)
		}
	}
	got := read(t, k.Files())
	compare(t, got, all[500-len(got):])
}

func TestRotationByTime(t *testing.T) {
	k, all := newKeeper(t, Options{RotateTime: 10 * time.Second}), packets(250)
	keep(k, all)
	if err := k.Close(); err != nil || len(k.Files()) != 3 {
		t.Fatal(err, k.Files())
	}
	compare(t, read(t, k.Files()[1:2]), all[100:200])
}

func TestRotationByCount(t *testing.T) {
	k, all := newKeeper(t, Options{RotateCount: 100}), packets(250)
	keep(k, all)
	if err := k.Close(); err != nil || len(k.Files()) != 3 {
		t.Fatal(err, k.Files())
	}
	compare(t, read(t, k.Files()[1:2]), all[100:200])
}

// Files of an earlier run stay what they are, and are not among those that go.
func TestSeriesGoesOn(t *testing.T) {
	k := newKeeper(t, Options{RingTime: time.Minute, RotateCount: 10, Keep: 1})
	earlier := []string{k.options.File(1), k.options.File(3)}
	for _, path := range earlier {
		if err := os.WriteFile(path, []byte("earlier"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	keep(k, packets(20))
	k.Dump()
	if err := k.Close(); err != nil || len(k.Files()) != 1 || k.Files()[0] != k.options.File(4) {
		t.Fatal(err, k.Files())
	}
	for _, path := range earlier {
		if b, err := os.ReadFile(path); err != nil || string(b) != "earlier" {
			t.Errorf("%s: %q, %v", path, b, err)
		}
	}
}

// A ring writes what it holds when it is asked for that, and never twice.
func TestRing(t *testing.T) {
	k, all := newKeeper(t, Options{RingTime: 2 * time.Second}), packets(200)
	keep(k, all[:100])
	if len(k.Files()) != 0 {
		t.Fatal("a file was made unasked")
	}
	k.Dump()
	keep(k, all[100:110])
	k.Dump()
	keep(k, all[110:])
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	compare(t, read(t, k.Files()), all[79:110]) // those no older than the 100th by 2 s, and 10 more
}

func TestRingBySize(t *testing.T) {
	k, all := newKeeper(t, Options{RingBytes: 100 * (heldCost + 150)}), packets(5000)
	keep(k, all)
	if k.hold.bytes > 100*(heldCost+150) || len(k.hold.blocks) > 2 || len(k.hold.packets) > 1000 {
		t.Errorf("%d bytes, %d blocks, %d places", k.hold.bytes, len(k.hold.blocks), len(k.hold.packets))
	}
	k.Dump()
	got := read(t, k.Files())
	compare(t, got, all[5000-len(got):])
	if len(got) < 95 {
		t.Errorf("%d packets", len(got))
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
}

// Comments stand at packets that are held, those on others at the end.
func TestComments(t *testing.T) {
	all := packets(50)
	k := newKeeper(t, Options{})
	k.options.Stats = someStats
	keep(k, all)
	k.Comment([]uint64{48, 50}, "first remark")
	k.Comment([]uint64{50}, "second remark")
	k.Comment([]uint64{3}, "too late")
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(k.Files()[0])
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"first remark": 2, "first remark\nsecond remark": 1, "too late": 1} {
		if n := bytes.Count(b, []byte(text)); n != want {
			t.Errorf("%q stands there %d times, want %d", text, n, want)
		}
	}
	if bytes.Index(b, []byte("too late")) < bytes.LastIndex(b, all[49].Data) {
		t.Error("what was found too late is not at the end")
	}
	compare(t, read(t, k.Files()), all)
}

// What nothing follows is written after a second all the same.
func TestIdle(t *testing.T) {
	k, all := newKeeper(t, Options{}), packets(5)
	keep(k, all)
	k.Idle(all[4].Time + second/2)
	if got := read(t, k.Files()); len(got) >= 5 {
		t.Fatal("nothing is held any more")
	}
	k.Idle(all[4].Time + 2*second)
	compare(t, read(t, k.Files()), all)
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
}

// A file ends by time although nothing follows. What is found then of its packets
// stands at the end of the next.
func TestIdleRotates(t *testing.T) {
	k, all := newKeeper(t, Options{RotateTime: 10 * time.Second}), packets(6)
	k.options.Stats = someStats
	keep(k, all[:5])
	k.Idle(all[0].Time + 9*second)
	first := k.Files()[0]
	before := sizeOf(t, first)
	k.Idle(all[0].Time + 10*second)
	ended := sizeOf(t, first)
	if ended <= before {
		t.Errorf("%d bytes, %d before: the file has no end", ended, before)
	}
	compare(t, read(t, k.Files()), all[:5])
	k.Comment([]uint64{3}, "too late")
	all[5].Time += 20 * second
	keep(k, all[5:])
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if sizeOf(t, first) != ended || len(k.Files()) != 2 {
		t.Errorf("%d bytes, %q", sizeOf(t, first), k.Files())
	}
	if b, err := os.ReadFile(k.Files()[1]); err != nil || bytes.Count(b, []byte("too late")) != 1 {
		t.Errorf("%v: the remark is missing", err)
	}
}

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// Interfaces of a live capture have the same numbers in a file.
func TestInterfaces(t *testing.T) {
	k := newKeeper(t, Options{Name: func(id uint32) string { return [...]string{"any", "lo", "eth0"}[id] }})
	all := packets(2)
	all[0].Interface, all[1].Interface = 2, 1
	keep(k, all)
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	got := read(t, k.Files())
	if got[0].Interface != 2 || got[1].Interface != 1 {
		t.Errorf("interfaces %d and %d", got[0].Interface, got[1].Interface)
	}
}

// Without room on disk the run goes on, and says so.
func TestNoFile(t *testing.T) {
	k := newKeeper(t, Options{RingTime: time.Minute})
	k.options.Path = filepath.Join(t.TempDir(), "no", "such", "folder")
	keep(k, packets(10))
	k.Dump()
	keep(k, packets(10))
	if k.Err() == nil || k.Close() == nil || k.Written() != 0 {
		t.Error("no error")
	}
}
