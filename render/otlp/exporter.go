package otlp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	resource "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	tracing "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

const (
	batchSize = 512              // spans in a request
	waitMost  = time.Second      // until a batch that is not full is sent
	patience  = 10 * time.Second // with a request
	lastWords = 5 * time.Second  // with all that is left when the run has ended, unless Options.Wait
	answerMax = 64 << 10         // bytes of an answer that are read
)

// Options say where spans go.
type Options struct {
	URL     *url.URL // see ParseURL
	Limits  Limits
	Version string       // of this program
	Wait    bool         // for room in the queue, rather than drop spans
	Tell    func(string) // takes news in words, in another goroutine: the first request that failed; nil: nobody listens
}

// Counters says what became of spans.
type Counters struct {
	Sent    uint64 // that the collector took
	Dropped uint64 // for which the queue had no room
	Refused uint64 // that the collector did not take, or could not be reached for
	Err     error  // why, the first time
}

// Exporter posts spans to a collector. Take, Idle and Close are for one goroutine.
type Exporter struct {
	options  Options
	batch    []*tracing.Span
	began    time.Time // when a batch was sent last
	queue    chan []*tracing.Span
	dropped  uint64
	outcome  chan Counters // of the one that posts, at its end
	ctx      context.Context
	giveUp   context.CancelFunc
	counters Counters // of the goroutine that posts
}

// tracesPath is where collectors take spans (OTLP 1.x, OTLP/HTTP Request).
const tracesPath = "/v1/traces"

// ParseURL reads the address of a collector, to which the path of traces is added
// unless it is there.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q is no address of a collector: write http://127.0.0.1:4318", text)
	}
	if !strings.HasSuffix(u.Path, tracesPath) {
		u = u.JoinPath(tracesPath)
	}
	return u, nil
}

// NewExporter begins to post spans.
func NewExporter(o Options) *Exporter {
	x := &Exporter{options: o, queue: make(chan []*tracing.Span, max(1, cmp.Or(o.Limits.Spans, DefaultSpans)/batchSize)), outcome: make(chan Counters, 1)}
	x.ctx, x.giveUp = context.WithCancel(context.Background())
	go x.run()
	return x
}

// Take takes a span.
func (x *Exporter) Take(s *tracing.Span) {
	if x.batch = append(x.batch, s); len(x.batch) >= batchSize {
		x.hand()
	}
}

// Idle sends what there is, now and then.
func (x *Exporter) Idle() {
	if len(x.batch) > 0 && time.Since(x.began) >= waitMost {
		x.hand()
	}
}

// hand puts the batch in the queue.
func (x *Exporter) hand() {
	x.began = time.Now()
	batch := x.batch
	x.batch = nil
	if x.options.Wait {
		x.queue <- batch
		return
	}
	select {
	case x.queue <- batch:
	default:
		x.dropped += uint64(len(batch))
	}
}

// Close sends what is left, as far as that is soon done, and says what became of
// all.
func (x *Exporter) Close() Counters {
	if len(x.batch) > 0 {
		x.hand()
	}
	close(x.queue)
	if !x.options.Wait {
		defer time.AfterFunc(lastWords, x.giveUp).Stop()
	}
	defer x.giveUp()
	c := <-x.outcome
	c.Dropped = x.dropped
	return c
}

// run posts batches. A file is not kept waiting again for a collector that did not
// take what came before.
func (x *Exporter) run() {
	c := &x.counters
	for batch := range x.queue {
		refused, err := uint64(len(batch)), c.Err
		if err == nil || !x.options.Wait {
			refused, err = x.post(batch)
		}
		c.Sent += uint64(len(batch)) - refused
		c.Refused += refused
		if err == nil || c.Err != nil {
			continue
		}
		if c.Err = err; x.options.Tell != nil {
			x.options.Tell("warning: spans are not taken: " + err.Error())
		}
	}
	x.outcome <- *c
}

// post sends a batch, and says how much of it was not taken, and why.
func (x *Exporter) post(batch []*tracing.Span) (refused uint64, err error) {
	all := uint64(len(batch))
	body, err := proto.Marshal(x.request(batch))
	if err != nil {
		return all, err
	}
	ctx, done := context.WithTimeout(x.ctx, patience)
	defer done()
	ask, err := http.NewRequestWithContext(ctx, http.MethodPost, x.options.URL.String(), bytes.NewReader(body))
	if err != nil {
		return all, err
	}
	ask.Header.Set("Content-Type", "application/x-protobuf")
	ask.Header.Set("User-Agent", "pulsar-dissect/"+x.options.Version)
	answer, err := http.DefaultClient.Do(ask)
	if err != nil {
		return all, err
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, answerMax)) // what is missing says nothing
	if answer.StatusCode/100 != 2 {
		return all, fmt.Errorf("%s answers %s", x.options.URL.Redacted(), answer.Status)
	}
	return partly(text, all)
}

// partly reads how much of a batch an answer refuses.
func partly(text []byte, all uint64) (refused uint64, err error) {
	var r collector.ExportTraceServiceResponse
	if proto.Unmarshal(text, &r) != nil {
		return 0, nil
	}
	if refused = uint64(max(r.GetPartialSuccess().GetRejectedSpans(), 0)); refused > 0 {
		err = errors.New(r.GetPartialSuccess().GetErrorMessage())
	}
	return min(refused, all), err
}

func (x *Exporter) request(batch []*tracing.Span) *collector.ExportTraceServiceRequest {
	about := attributes{}
	about.text("service.name", "pulsar-dissect")
	about.text("service.version", x.options.Version)
	return &collector.ExportTraceServiceRequest{ResourceSpans: []*tracing.ResourceSpans{{
		Resource:   &resource.Resource{Attributes: about},
		ScopeSpans: []*tracing.ScopeSpans{{Scope: &common.InstrumentationScope{Name: "pulsar-dissect", Version: x.options.Version}, Spans: batch}},
	}}}
}
