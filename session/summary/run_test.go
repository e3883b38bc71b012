package summary_test

import (
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/session"
	"pulsar-dissect/session/summary"
)

// summarize reads a capture and counts what it shows.
func summarize(t testing.TB, o capture.Options, limits summary.Limits, paths ...string) *summary.Summary {
	t.Helper()
	source, err := capture.Open(paths, o)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	parser := segment.NewParser(segment.Limits{})
	assembler := reassembly.New(reassembly.Limits{}, parser)
	decoder := decode.New(decode.Limits{}, nil)
	tied := session.New(session.Options{})
	s := summary.New(limits)
	for e, err := range tied.Events(decoder.Events(assembler.Events(source.Packets()))) {
		if err != nil {
			t.Logf("%v", err)
			continue
		}
		s.Add(e)
	}
	s.Finish(summary.Totals{
		Capture: source.Stats(), Segments: parser.Stats(), Reassembly: assembler.Counters(),
		Decode: decoder.Counters(), Session: tied.Counters(),
	})
	return s
}
