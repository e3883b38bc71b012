package otlp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	tracing "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// desk is a collector.
type desk struct {
	*httptest.Server
	mu   sync.Mutex
	got  []*tracing.Span
	busy chan struct{} // holds requests up until it is closed; nil: nothing does
}

// newDesk makes one that answers with a status and a body.
func newDesk(t *testing.T, busy chan struct{}, status int, body proto.Message) *desk {
	d := &desk{busy: busy}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, ask *http.Request) {
		if d.busy != nil {
			<-d.busy
		}
		b, _ := io.ReadAll(ask.Body)
		var r collector.ExportTraceServiceRequest
		if err := proto.Unmarshal(b, &r); err != nil || ask.URL.Path != "/v1/traces" || ask.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("%v of %s", err, ask.URL)
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, s := range r.ResourceSpans {
			d.got = append(d.got, s.ScopeSpans[0].Spans...)
		}
		w.WriteHeader(status)
		answer, _ := proto.Marshal(body)
		_, _ = w.Write(answer)
	}))
	t.Cleanup(d.Close)
	return d
}

func (d *desk) options(t *testing.T) Options {
	u, err := ParseURL(d.URL)
	if err != nil {
		t.Fatal(err)
	}
	return Options{URL: u, Limits: Limits{Spans: 2 * batchSize}}
}

func take(x *Exporter, spans int) {
	for range spans {
		x.Take(&tracing.Span{Name: "x"})
	}
}

// All spans come to the collector, in batches and with the rest at the end.
func TestExport(t *testing.T) {
	d := newDesk(t, nil, http.StatusOK, &collector.ExportTraceServiceResponse{})
	o := d.options(t)
	o.Wait = true
	x := NewExporter(o)
	take(x, 10*batchSize+7)
	const all = 10*batchSize + 7
	if n := x.Close(); n != (Counters{Sent: all}) || len(d.got) != all {
		t.Errorf("%+v, %d came", n, len(d.got))
	}
}

// A collector that is slow keeps nobody waiting: what finds no room is dropped. One
// batch is on its way, two are in the queue.
func TestExportDrops(t *testing.T) {
	busy := make(chan struct{})
	d := newDesk(t, busy, http.StatusOK, &collector.ExportTraceServiceResponse{})
	x := NewExporter(d.options(t))
	take(x, 10*batchSize)
	close(busy)
	n := x.Close()
	if n.Sent+n.Dropped != 10*batchSize || n.Sent > 3*batchSize || n.Sent < 2*batchSize || uint64(len(d.got)) != n.Sent || n.Err != nil {
		t.Errorf("%+v, %d came", n, len(d.got))
	}
}

// What a collector refuses is counted, and why is told once.
func TestExportRefused(t *testing.T) {
	some := &collector.ExportTraceServiceResponse{PartialSuccess: &collector.ExportTracePartialSuccess{RejectedSpans: 3, ErrorMessage: "too old"}}
	for _, c := range []struct {
		status  int
		body    proto.Message
		refused uint64
		why     string
	}{
		{http.StatusOK, some, 6, "too old"},
		{http.StatusServiceUnavailable, nil, 2 * batchSize, "503 Service Unavailable"},
	} {
		var told []string
		o := newDesk(t, nil, c.status, c.body).options(t)
		o.Tell = func(text string) { told = append(told, text) }
		x := NewExporter(o)
		take(x, 2*batchSize)
		if n := x.Close(); n.Refused != c.refused || n.Sent != 2*batchSize-c.refused || n.Err == nil || !strings.Contains(n.Err.Error(), c.why) || len(told) != 1 {
			t.Errorf("%+v, told %q", n, told)
		}
	}
}

// A file does not wait again for a collector that failed.
func TestExportFails(t *testing.T) {
	d := newDesk(t, nil, http.StatusForbidden, nil)
	o := d.options(t)
	o.Wait = true
	x := NewExporter(o)
	take(x, 5*batchSize)
	if n := x.Close(); n.Refused != 5*batchSize || len(d.got) != batchSize {
		t.Errorf("%+v, %d came", n, len(d.got))
	}
}

func TestParseURL(t *testing.T) {
	for text, want := range map[string]string{
		"http://127.0.0.1:4318":             "http://127.0.0.1:4318/v1/traces",
		"http://127.0.0.1:4318/":            "http://127.0.0.1:4318/v1/traces",
		"https://x.example/otlp":            "https://x.example/otlp/v1/traces",
		"https://x.example/a/v1/traces?k=v": "https://x.example/a/v1/traces?k=v",
		"127.0.0.1:4318":                    "",
		"localhost:4318":                    "",
		"grpc://127.0.0.1:4317":             "",
		"http://":                           "",
	} {
		u, err := ParseURL(text)
		if (err != nil) != (want == "") || err == nil && u.String() != want {
			t.Errorf("%s: %v, %v", text, u, err)
		}
	}
}

// The examples of W3C Trace Context, and what is none.
func TestTraceparent(t *testing.T) {
	const good = "-" + traceA + "-" + parentA
	for text, want := range map[string]struct{ ok, sampled bool }{
		"00" + good + "-01":                                      {true, true},
		"00" + good + "-00":                                      {true, false},
		"00" + good + "-03":                                      {true, true},
		"cc" + good + "-01-what-comes":                           {true, true},
		"cc" + good + "-01what-comes":                            {},
		"00" + good + "-01-what-comes":                           {},
		"ff" + good + "-01":                                      {},
		"00" + good + "-0":                                       {},
		"00" + good + "_01":                                      {},
		strings.ToUpper("00"+good) + "-01":                       {},
		"00-00000000000000000000000000000000-" + parentA + "-01": {},
		"00-" + traceA + "-0000000000000000-01":                  {},
		"":                                                       {},
	} {
		_, _, sampled, ok := parse(text)
		if ok != want.ok || ok && sampled != want.sampled {
			t.Errorf("%q: %v, sampled %v", text, ok, sampled)
		}
	}
}

func FuzzTraceparent(f *testing.F) {
	f.Add("00-" + traceA + "-" + parentA + "-01")
	f.Fuzz(func(t *testing.T, text string) {
		if id, span, _, ok := parse(text); ok && (id == traceID{} || span == spanID{}) {
			t.Error(text)
		}
	})
}
