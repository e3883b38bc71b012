package schema

import (
	"bytes"
	"path/filepath"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/render"
	"pulsar-dissect/session"
	"pulsar-dissect/session/summary"
)

// side counts a capture for a comparison.
func side(t *testing.T, name string) *render.Side {
	t.Helper()
	source, err := capture.Open([]string{filepath.Join(testkit.Root(t), "testdata", "captures", name, name+".pcap")}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	s, rules, parser := render.NewSide(source.Files(), summary.Limits{}), diagnose.New(diagnose.Options{}), segment.NewParser(segment.Limits{})
	frames := decode.New(decode.Limits{}, nil).Events(reassembly.New(reassembly.Limits{}, parser).Events(source.Packets()))
	for e, err := range session.New(session.Options{}).Events(frames) {
		if err == nil {
			err = s.Event(e)
		}
		if err != nil {
			t.Fatal(err)
		}
		rules.Add(e)
	}
	if err := s.Findings(&render.Diagnosis{Found: rules.Finish()}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(&render.End{Totals: summary.Totals{Capture: source.Stats(), Segments: parser.Stats()}}); err != nil {
		t.Fatal(err)
	}
	return s
}

// The record of a comparison is as the schema says, with all rows and with those
// that differ.
func TestDiff(t *testing.T) {
	s := byKind(t)
	for _, v := range []struct{ before, after string }{
		{"base", "go-errors"}, {"go-errors", "base"}, {"base", "base"}, {"base", "cap-gap3"}, {"py-nack", "wrongport-pulsar-to-8080"},
	} {
		d := render.Compare(side(t, v.before), side(t, v.after))
		changed, all := d.AppendJSON(nil, false), d.AppendJSON(nil, true)
		kinds := check(t, s, [][]byte{bytes.TrimSpace(changed), bytes.TrimSpace(all)})
		if !kinds["diff"] || len(all) <= len(changed) {
			t.Errorf("%s, %s: kinds %v, %d bytes, %d of all", v.before, v.after, kinds, len(changed), len(all))
		}
	}
}
