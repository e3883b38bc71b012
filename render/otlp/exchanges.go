package otlp

import (
	"cmp"

	tracing "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"pulsar-dissect/session"
)

// exchange makes the spans of a request and its response.
func (r *Recorder) exchange(e *session.Event) {
	switch e.Exchange.Kind {
	case session.Send:
		r.send(e)
	case session.Ack:
		r.acknowledge(e)
	default:
		r.request(e)
	}
}

// request makes the span of an exchange that is about no entry: a trace of its own.
func (r *Recorder) request(e *session.Event) {
	x, name := e.Exchange, e.Exchange.Kind.String()
	if x.Kind == session.Request || x.Kind == session.Bookie {
		name += " " + session.TypeName(&x.Request)
	}
	t := traceContext{trace: r.frameTrace(e.Conn, &x.Request)}
	s := child(t, spanID{}, r.span(t, name, e.Conn, &x.Request, &x.Response), name, tracing.Span_SPAN_KIND_CLIENT, x.Request.Time, ended(x))
	a := attributes{}
	a.of(e)
	a.text(attrTopic, cmp.Or(e.Topic(), x.Topic))
	if x.Kind == session.Request {
		a.number(attrRequestID, x.RequestID)
	}
	r.give(s, a, x)
}

// give hands a span on, with the outcome of its exchange.
func (r *Recorder) give(s *tracing.Span, a attributes, x *session.Exchange) {
	if x.HasRequest {
		a.number(attrRequestPacket, x.Request.Packet)
	}
	a.text(attrResult, x.Result.String())
	if wrong(x.Result) {
		what := cmp.Or(x.Error, x.Why, x.Result.String())
		a.text(attrError, what)
		s.Status = &tracing.Status{Code: tracing.Status_STATUS_CODE_ERROR, Message: label(cmp.Or(x.Text, what))}
	}
	s.Attributes = a
	r.to.Take(s)
}

func wrong(x session.Result) bool { return x == session.Failed || x == session.Unanswered }

// ended is the time of the response, or of the request where there is none: when it
// was given up is not on the wire.
func ended(x *session.Exchange) int64 {
	if ns, ok := x.Latency(); ok {
		return x.Request.Time + ns
	}
	return x.Request.Time
}
