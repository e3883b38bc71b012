package otlp

import (
	"cmp"

	tracing "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// Limits bounds what is kept. Zero fields take the defaults.
type Limits struct {
	Spans   int // that wait to be sent
	Entries int // whose traces are remembered: so many from SEND to receipt, from there to delivery, and from there to acknowledgement
}

// The default limits.
const (
	DefaultSpans   = 16_384
	DefaultEntries = 50_000
)

// Recorder makes spans of the events of a run.
type Recorder struct {
	maker
	to Taker

	sent      kept[frameKey, contexts]      // SENDs without an answer
	stored    kept[entryKey, stored]        // entries with a receipt
	delivered kept[deliveryKey, []spanLink] // deliveries that are not acknowledged
	arriving  contexts                      // of the MESSAGE at hand
}

// Taker takes spans. It is package otlp's Exporter, but for tests.
type Taker interface{ Take(*tracing.Span) }

// frameKey names a frame, entryKey an entry wherever it is seen, and deliveryKey
// one at a consumer.
type (
	frameKey struct {
		conn   *session.Conn
		offset int64
	}
	entryKey struct {
		topic         string
		ledger, entry uint64
	}
	deliveryKey struct {
		consumer      *session.Consumer
		ledger, entry uint64
	}
)

// stored is an entry with a receipt.
type stored struct {
	at    int64 // of the receipt, ns since the Unix epoch
	spans []spanLink
}

// spanLink is a span that others are children of.
type spanLink struct {
	traceContext // of the message
	span         spanID
}

// New makes a recorder.
func New(l Limits, to Taker) *Recorder {
	most := cmp.Or(l.Entries, DefaultEntries)
	return &Recorder{to: to, sent: newKept[frameKey, contexts](most), stored: newKept[entryKey, stored](most), delivered: newKept[deliveryKey, []spanLink](most)}
}

// Add looks at an event.
func (r *Recorder) Add(e *session.Event) {
	switch {
	case e.Kind == session.FrameSeen && e.Frame.Is(int32(pb.BaseCommand_MESSAGE)):
		r.arriving = contexts{}
	case e.Kind == session.MessageSeen:
		r.message(e)
	case e.Kind == session.PermitsChanged && !e.Permits.Flow:
		r.deliver(e)
	case e.Kind == session.ExchangeSeen && hasBeginning(e.Exchange):
		r.exchange(e)
	}
}

// hasBeginning says whether it is known when an exchange began. A cumulative ACK has
// that of every delivery that it covers.
func hasBeginning(x *session.Exchange) bool {
	if x.Cumulative {
		return !x.Response.TimeUnknown
	}
	return x.HasRequest && !x.Request.TimeUnknown
}

// message takes the trace of a message, if it says so.
func (r *Recorder) message(e *session.Event) {
	if e.Frame.Is(int32(pb.BaseCommand_MESSAGE)) {
		r.arriving.add(e.Message)
		return
	}
	key := frameKey{e.Conn, e.Frame.Offset}
	of, known := r.sent.find(key)
	if of.add(e.Message); known || len(of.all) > 0 || of.silent {
		r.sent.put(key, of)
	}
}

// child makes a span.
func child(t traceContext, parent, id spanID, name string, kind tracing.Span_SpanKind, from, to int64) *tracing.Span {
	s := &tracing.Span{
		TraceId: t.trace[:], SpanId: id[:], TraceState: t.state, Name: name, Kind: kind,
		StartTimeUnixNano: uint64(from), EndTimeUnixNano: uint64(max(from, to)),
	}
	if parent != (spanID{}) {
		s.ParentSpanId = parent[:]
	}
	return s
}
