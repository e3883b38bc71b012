package capture

import (
	"bytes"
	"testing"
	"testing/iotest"
)

// FuzzOpen reads any bytes as a file: no panic, numbers that rise, and the same
// packets however the bytes come.
func FuzzOpen(f *testing.F) {
	f.Add(basePcap(f)[:2000])
	f.Add(pcapBytes(3, 30))
	f.Add(pcapngBytes(3, 30))
	f.Add(gopacketPcapng(f)[:600])
	for name := range packers {
		f.Add(pack(f, name, pcapBytes(3, 30)))
	}
	f.Add(baseBzip2(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		if c := findCodec(b); c != nil && c.name != "gzip" {
			b = append([]byte{}, b[:min(len(b), 4096)]...) // not to wait for bombs
		}
		var number uint64
		var first, second int
		for p, err := range fuzzSource(t, b, false).Packets() {
			if err != nil {
				continue
			}
			if p.Number <= number || len(p.Data) > maxCaptured {
				t.Fatalf("packet %d after %d, %d bytes", p.Number, number, len(p.Data))
			}
			number = p.Number
			first += len(p.Data) + 1
		}
		for p, err := range fuzzSource(t, b, true).Packets() {
			if err == nil {
				second += len(p.Data) + 1
			}
		}
		if first != second {
			t.Errorf("%d bytes at once, %d in halves", first, second)
		}
	})
}

func fuzzSource(t *testing.T, b []byte, halves bool) *Source {
	o := Options{Stdin: bytes.NewReader(b), Warn: func(w Warning) { _ = w.String() }}
	if halves {
		o.Stdin = iotest.HalfReader(o.Stdin)
	}
	s, err := Open([]string{"-"}, o)
	if err != nil {
		return &Source{feed: &merger{}}
	}
	t.Cleanup(func() { s.Close() })
	return s
}
