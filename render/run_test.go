package render_test

import (
	"bytes"
	"io"
	"path/filepath"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/render"
	"pulsar-dissect/session"
	"pulsar-dissect/session/summary"
)

// maker makes a face.
type maker func(io.Writer, render.Options) render.Sink

// makers are the faces for people.
var makers = map[string]maker{
	"analyze":  func(w io.Writer, o render.Options) render.Sink { return render.NewAnalyze(w, o) },
	"timeline": func(w io.Writer, o render.Options) render.Sink { return render.NewTimeline(w, o) },
	"pairs":    func(w io.Writer, o render.Options) render.Sink { return render.NewPairs(w, o) },
	"payload": func(w io.Writer, o render.Options) render.Sink {
		o.WholePayload = true
		return render.NewMessages(w, o)
	},
	"txns":     func(w io.Writer, o render.Options) render.Sink { return render.NewTransactions(w, o) },
	"messages": func(w io.Writer, o render.Options) render.Sink { return render.NewMessages(w, o) },
	"ladder":   func(w io.Writer, o render.Options) render.Sink { return render.NewLadder(w, o) },
	"show": func(w io.Writer, o render.Options) render.Sink {
		return render.NewDissection(w, o, &reassembly.Extents{}, nil)
	},
}

// inCapture goes to the folder of a capture in testdata, so that outputs name
// the file alone, and gives the file's name.
func inCapture(t testing.TB, name string) string {
	t.Helper()
	dir := filepath.Join(testkit.Root(t), "testdata", "captures", name)
	t.Chdir(dir)
	files, err := filepath.Glob("*.pcap")
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: want one capture, have %v (%v)", dir, files, err)
	}
	return files[0]
}

// run has a face show files.
func run(t testing.TB, make maker, o render.Options, files ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := feed(t, make, &out, o, files...); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// feed has a face write files to w until it fails.
func feed(t testing.TB, make maker, w io.Writer, o render.Options, files ...string) error {
	t.Helper()
	source, err := capture.Open(files, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	o.Files = source.Files()
	parser := segment.NewParser(segment.Limits{})
	assembler := reassembly.New(reassembly.Limits{}, parser)
	decoder := decode.New(decode.Limits{}, nil)
	tied := session.New(session.Options{})
	face := make(w, o)
	for e, err := range tied.Events(decoder.Events(assembler.Events(source.Packets()))) {
		if err != nil {
			t.Log(err) // the container is damaged: what was read before is shown
			continue
		}
		if err := face.Event(e); err != nil {
			return err
		}
	}
	return face.Close(&render.End{Totals: summary.Totals{
		Capture: source.Stats(), Segments: parser.Stats(), Reassembly: assembler.Counters(),
		Decode: decoder.Counters(), Session: tied.Counters(),
	}})
}
