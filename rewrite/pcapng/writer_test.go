package pcapng_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/gopacket/pcapgo"

	"pulsar-dissect/capture"
	"pulsar-dissect/rewrite/pcapng"
)

func written(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := pcapng.New(&b, "test")
	for _, err := range []error{
		w.Interface(1, "eth0"), w.Interface(276, ""),
		w.Packet(0, &capture.Packet{Time: 1_700_000_000_123_456_789, Data: []byte("abcde"), OrigLen: 60}, ""),
		w.Packet(1, &capture.Packet{Time: 1_700_000_000_123_456_790, Data: []byte("abcdefgh"), OrigLen: 8}, "odd"),
		w.Packet(0, &capture.Packet{Time: 1_700_000_001_000_000_000}, strings.Repeat("long ", 20_000)),
		w.Statistics(0, 1_700_000_002_000_000_000, &capture.InterfaceStats{Received: 3, Dropped: 1 << 40, OSDropped: 7}, "note"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if w.Written() != int64(b.Len()) {
		t.Errorf("says %d bytes, not %d", w.Written(), b.Len())
	}
	return b.Bytes()
}

// What is written is read back the same.
func TestReadBack(t *testing.T) {
	src, err := capture.Open([]string{"-"}, capture.Options{Stdin: bytes.NewReader(written(t)), Warn: func(w capture.Warning) { t.Error(w) }})
	if err != nil {
		t.Fatal(err)
	}
	want := []capture.Packet{
		{Number: 1, Time: 1_700_000_000_123_456_789, Link: 1, Data: []byte("abcde"), OrigLen: 60},
		{Number: 2, Time: 1_700_000_000_123_456_790, Link: 276, Interface: 1, Data: []byte("abcdefgh"), OrigLen: 8},
		{Number: 3, Time: 1_700_000_001_000_000_000, Link: 1},
	}
	n := 0
	for p, err := range src.Packets() {
		if err != nil || n == len(want) {
			t.Fatal(n, err)
		}
		w := want[n]
		if !bytes.Equal(p.Data, w.Data) || p.Number != w.Number || p.Time != w.Time || p.Link != w.Link || p.Interface != w.Interface || p.OrigLen != w.OrigLen {
			t.Errorf("got %+v, want %+v", p, w)
		}
		n++
	}
	if n != len(want) {
		t.Errorf("%d packets", n)
	}
	in := src.Stats().Files[0].Interfaces
	if len(in) != 1 || in[0] != (capture.InterfaceStats{Name: "eth0", Received: 3, Dropped: 1 << 40, OSDropped: 7}) {
		t.Errorf("%+v", in)
	}
}

// A second opinion.
func TestSecondOpinion(t *testing.T) {
	r, err := pcapgo.NewNgReader(bytes.NewReader(written(t)), pcapgo.NgReaderOptions{WantMixedLinkType: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.SectionInfo().Application != "test" {
		t.Errorf("%+v", r.SectionInfo())
	}
	for i, want := range []string{"abcde", "abcdefgh", ""} {
		data, info, err := r.ReadPacketData()
		if err != nil || string(data) != want || info.Timestamp.Unix() != 1_700_000_000+int64(i/2) {
			t.Errorf("packet %d: %q, %+v, %v", i+1, data, info, err)
		}
	}
	if _, _, err := r.ReadPacketData(); err != io.EOF {
		t.Error(err)
	}
}

// full takes so many bytes and no more.
type full int

var errFull = errors.New("no space left")

func (f *full) Write(b []byte) (int, error) {
	if *f -= full(len(b)); *f < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// After an error nothing more is written.
func TestFull(t *testing.T) {
	room := full(100)
	w := pcapng.New(&room, "x")
	for range 10 {
		_ = w.Interface(1, "eth0") // Err keeps it
	}
	if err := w.Packet(0, &capture.Packet{}, ""); !errors.Is(err, errFull) || !errors.Is(w.Err(), errFull) || w.Written() > 100 {
		t.Error(err, w.Err(), w.Written())
	}
}
