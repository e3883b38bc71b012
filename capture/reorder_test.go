package capture

import (
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestReorderAgainstModel shuffles packets within a window, several at the same
// time; the model sorts them all.
func TestReorderAgainstModel(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 30 {
		f := (&fileBuilder{order: binary.LittleEndian}).pcapHeader(0xa1b2c3d4, 65535, 1)
		for i := range 300 {
			f.record(1000+uint32(i)/4-random.Uint32N(4), 0, numbered(i, 4+random.IntN(50)), 60)
		}
		path := writeFile(t, "shuffled", f.b)
		plain := read(t, Options{}, path)
		window := time.Duration(plain.source.Stats().Files[0].LargestStepBack)
		sorted := read(t, Options{Reorder: window}, path)
		want := slices.Clone(plain.packets)
		slices.SortStableFunc(want, func(a, b Packet) int { return cmp.Compare(a.Time, b.Time) })
		sorted.sound(t, 300)
		if contents(sorted.packets) != contents(want) || !samePackets(sorted.packets, want) {
			t.Fatal("not in order")
		}
	}
}

// TestReorderWindow leaves what lies further apart.
func TestReorderWindow(t *testing.T) {
	path := writeFile(t, "a", timedPcap("a", 100, 110, 105, 120, 100))
	got := read(t, Options{Reorder: 5 * time.Second}, path)
	if want := "1:a1 3:a3 2:a2 5:a5 4:a4"; contents(got.packets) != want {
		t.Errorf("got %s, want %s", contents(got.packets), want)
	}
}

// TestReorderOfMergedFiles keeps the numbers of the merged order.
func TestReorderOfMergedFiles(t *testing.T) {
	a, b := writeFile(t, "a", timedPcap("a", 10, 20, 5)), writeFile(t, "b", timedPcap("b", 12, 21))
	got := read(t, Options{Reorder: time.Hour}, a, b)
	if want := "4:a3 1:a1 2:b1 3:a2 5:b2"; contents(got.packets) != want {
		t.Errorf("got %s, want %s", contents(got.packets), want)
	}
}

// scripted is a feed of packets and errors.
type scripted struct {
	steps []any
	data  [8]byte
}

func (s *scripted) next(p *Packet) error {
	if len(s.steps) == 0 {
		return io.EOF
	}
	step := s.steps[0]
	s.steps = s.steps[1:]
	if err, bad := step.(error); bad {
		return err
	}
	at := int64(step.(int))
	s.data = [8]byte{byte(at)} // the one before it is overwritten
	*p = Packet{Time: at, Data: s.data[:]}
	return nil
}

// TestReorderErrors gives an error its place behind what came before it.
func TestReorderErrors(t *testing.T) {
	bad := errors.New("bad")
	s := newSorter(&scripted{steps: []any{5, 3, bad, 4, 9}}, 100, nil)
	var seen []any
	for {
		var p Packet
		err := s.next(&p)
		if err == io.EOF {
			break
		}
		if err != nil {
			seen = append(seen, err)
			continue
		}
		if seen = append(seen, int(p.Time)); p.Data[0] != byte(p.Time) {
			t.Errorf("the packet at %d has the bytes of another", p.Time)
		}
	}
	if want := []any{3, 4, 5, bad, 9}; !slices.Equal(seen, want) {
		t.Error(seen)
	}
}

// TestReorderLimits lets packets go when there are too many, and says so once.
func TestReorderLimits(t *testing.T) {
	for name, tc := range map[string]struct{ packets, size int }{
		"packets": {maxReorderPackets + 1000, 20},
		"bytes":   {maxReorderBytes/60_000 + 1000, 60_000},
	} {
		t.Run(name, func(t *testing.T) {
			got := 0
			var warnings []Warning
			o := Options{Reorder: 1000 * time.Hour, Warn: func(w Warning) { warnings = append(warnings, w) }}
			s, err := Open([]string{writeFile(t, "many", pcapBytes(tc.packets, tc.size))}, o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			for p, err := range s.Packets() {
				if got++; err != nil || p.Number != uint64(got) {
					t.Fatal(p.Number, err)
				}
				if held := s.feed.(*sorter).bytes; held > maxReorderBytes+maxCaptured {
					t.Fatal(held, "bytes held")
				}
			}
			if got != tc.packets || len(warnings) != 1 || !strings.Contains(warnings[0].Text, name+" lie within the time") {
				t.Errorf("%d packets of %d, warnings %v", got, tc.packets, warnings)
			}
		})
	}
}
