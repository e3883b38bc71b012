package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	otlp "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/testkit"
)

// collecting gives the address of a collector, and counts what it is sent: spans,
// and those with a parent.
func collecting(t *testing.T) (url string, spans, children *atomic.Int64) {
	t.Helper()
	spans, children = &atomic.Int64{}, &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, ask *http.Request) {
		var r otlp.ExportTraceServiceRequest
		b, _ := io.ReadAll(ask.Body)
		if err := proto.Unmarshal(b, &r); err != nil {
			t.Error(err)
		}
		for _, s := range r.ResourceSpans[0].ScopeSpans[0].Spans {
			if s.ParentSpanId != nil {
				children.Add(1)
			}
		}
		spans.Add(int64(len(r.ResourceSpans[0].ScopeSpans[0].Spans)))
	}))
	t.Cleanup(s.Close)
	return s.URL, spans, children
}

// The spans of a capture are one for each exchange and each delivery. Those of a file
// and of a pipe are the same, and those of a pipe come while it is open.
func TestSpans(t *testing.T) {
	capture := testkit.Testdata(t, "captures", "flow", "flow.pcap")
	url, spans, children := collecting(t)
	path := filepath.Join(testkit.Root(t), "testdata", "captures", "flow", "flow.pcap")
	out, err := exec.Command(program(t), "events", "--otlp", url, path).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := int64(strings.Count(string(out), `"kind":"exchange"`) + strings.Count(string(out), `"type":"MESSAGE","command"`))
	ofFile, childrenOfFile := spans.Swap(0), children.Swap(0)
	if ofFile != want {
		t.Errorf("%d spans of a file, want %d", ofFile, want)
	}
	p := startLive(t, "sniff", "-o", "json", "--otlp", url, "-")
	go func() { _, _ = io.Copy(io.Discard, p.out) }()
	if _, err := p.in.Write(capture); err != nil {
		t.Fatal(err)
	}
	until(t, "span", func() bool { return spans.Load() > 0 })
	p.in.Close()
	if err := p.Wait(); err != nil {
		t.Errorf("%v: %s", err, p.errors.String())
	}
	if spans.Load() != ofFile || children.Load() != childrenOfFile || childrenOfFile < 300 {
		t.Errorf("%d spans, %d with a parent; of a file %d and %d", spans.Load(), children.Load(), ofFile, childrenOfFile)
	}
	if got := p.errors.String(); !strings.Contains(got, "630 spans sent to "+url+"/v1/traces") {
		t.Errorf("told %q", got)
	}
}

// A collector that is not there ends nothing, and is told of.
func TestSpansLost(t *testing.T) {
	url, _, _ := collecting(t)
	gone := strings.Replace(url, "http://", "https://", 1)
	c := exec.Command(program(t), "sniff", "--otlp", gone, "-")
	c.Stdin = strings.NewReader(string(testkit.Testdata(t, "captures", "base", "base.pcap")))
	said := &told{}
	c.Stderr = said
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"warning: spans are not taken: ", "; 0 spans sent to " + gone + "/v1/traces, 44 not taken: "} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("no %q in %s", want, said.String())
		}
	}
}
