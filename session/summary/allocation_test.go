package summary_test

import (
	"path/filepath"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/session"
	"pulsar-dissect/session/summary"
)

// events gives the events of a capture one by one.
func events(t testing.TB, path string, take func(*session.Event)) {
	t.Helper()
	source, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	assembler := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{}))
	tied := session.New(session.Options{})
	for e, err := range tied.Events(decode.New(decode.Limits{}, nil).Events(assembler.Events(source.Packets()))) {
		if err != nil {
			t.Fatal(err)
		}
		take(e)
	}
}

// TestAddAllocatesNothing adds each event of real traffic again: once its rows
// are there, nothing is allocated.
func TestAddAllocatesNothing(t *testing.T) {
	path := filepath.Join(testkit.Root(t), "testdata", "captures", "base", "base.pcap")
	s := summary.New(summary.Limits{})
	events(t, path, func(e *session.Event) {
		for range 4 {
			s.Add(e)
		}
		if n := testing.AllocsPerRun(2, func() { s.Add(e) }); n > 0 {
			t.Errorf("event of kind %d at offset %d: %v allocations", e.Kind, e.Offset, n)
		}
	})
}

// BenchmarkAdd adds the events of real small messages.
func BenchmarkAdd(b *testing.B) {
	path := filepath.Join(testkit.Root(b), "testdata", "captures", "base", "base.pcap")
	s := summary.New(summary.Limits{})
	events(b, path, func(e *session.Event) {
		if e.Kind != session.FrameSeen && e.Kind != session.ExchangeSeen {
			return
		}
		name := []string{session.FrameSeen: "frame", session.ExchangeSeen: "exchange"}[e.Kind]
		if e.At.Packet < 32 || e.At.Packet > 36 {
			return
		}
		if e.Kind == session.FrameSeen {
			name += "/" + e.Frame.TypeName()
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s.Add(e)
			}
		})
	})
}
