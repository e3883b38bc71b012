package otlp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tracing "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"pulsar-dissect/proto/field"
	"pulsar-dissect/session"
)

// send makes the spans of a SEND and its receipt: one for each trace that its
// messages are part of.
func (r *Recorder) send(e *session.Event) {
	const name = "send"
	x, topic := e.Exchange, e.Topic()
	of, _ := r.sent.take(frameKey{e.Conn, x.Request.Offset})
	placed := x.HasID && hasPlace(topic, x.ID)
	own := r.frameTrace(e.Conn, &x.Request)
	if placed {
		own = r.entryTrace(topic, x.ID)
	}
	var links []spanLink
	for _, t := range of.orOwn(own) {
		id := r.span(t, name, e.Conn, &x.Request)
		links = append(links, spanLink{t, id})
		s := child(t, t.parent, id, name, tracing.Span_SPAN_KIND_PRODUCER, x.Request.Time, ended(x))
		a := entryAttributes(e, name, x.ID, placed)
		a.number(attrSequenceID, x.SequenceID)
		r.give(s, a, x)
	}
	if placed {
		r.stored.put(entryKey{topic, x.ID.Ledger, x.ID.Entry}, stored{x.Response.Time, links})
	}
}

// deliver makes the spans from the receipt of an entry to a MESSAGE of it. Where the
// SEND was not seen they begin and end with the MESSAGE.
func (r *Recorder) deliver(e *session.Event) {
	const name = "deliver"
	f := e.Frame
	id, hasID := session.IDOf(f, field.CommandMessageMessageId)
	at := session.Ref{Direction: f.Direction, Time: f.Last.Time, Offset: f.Offset}
	if f.Last.TimeUnknown || e.Consumer == nil {
		return
	}
	own, topic, from := r.frameTrace(e.Conn, &at), e.Topic(), stored{at: at.Time}
	if hasID = hasID && hasPlace(topic, id); hasID {
		own = r.entryTrace(topic, id)
		if found, ok := r.stored.find(entryKey{topic, id.Ledger, id.Entry}); ok {
			from = found
		}
	}
	links := []spanLink{}
	for _, t := range r.arriving.orOwn(own) {
		parent := t.parent
		if i := slices.IndexFunc(from.spans, func(l spanLink) bool { return l.traceContext == t }); i >= 0 {
			parent = from.spans[i].span
		}
		span := r.span(t, name, e.Conn, &at)
		links = append(links, spanLink{t, span})
		s := child(t, parent, span, name, tracing.Span_SPAN_KIND_CONSUMER, min(from.at, at.Time), at.Time)
		a := entryAttributes(e, name, id, hasID)
		a.number(attrMessages, uint64(max(e.Permits.N, 0)))
		a.number(attrRequestPacket, f.Last.Packet)
		if again, ok := f.Uint(field.CommandMessageRedeliveryCount); ok {
			a.number(attrRedelivered, again)
		}
		s.Attributes = a
		r.to.Take(s)
	}
	if hasID {
		r.delivered.put(deliveryKey{e.Consumer, id.Ledger, id.Entry}, links)
	}
}

// acknowledge makes the spans from a MESSAGE to what became of it.
func (r *Recorder) acknowledge(e *session.Event) {
	x := e.Exchange
	if x.Cumulative {
		for i := range x.Covers {
			c := &x.Covers[i]
			r.ack(e, c.ID, x.Response.Time-c.Latency, c.Messages)
		}
		return
	}
	r.ack(e, x.ID, x.Request.Time, x.Messages)
	if x.Left == 0 || !x.HasResponse { // else other messages of it may be acknowledged later
		r.delivered.take(deliveryKey{e.Consumer, x.ID.Ledger, x.ID.Entry})
	}
}

func (r *Recorder) ack(e *session.Event, id session.MessageID, from int64, messages int) {
	const name = "ack"
	x, topic := e.Exchange, e.Topic()
	links, known := r.delivered.find(deliveryKey{e.Consumer, id.Ledger, id.Entry})
	if !known {
		links = []spanLink{{traceContext: traceContext{trace: r.entryTrace(topic, id)}}}
	}
	to := from
	if x.HasResponse {
		to = x.Response.Time
	}
	what := fmt.Sprintf("%s %d %d:%d %d", name, x.ConsumerID, id.Ledger, id.Entry, x.Left) // one ACK names several, and messages of an entry one by one
	for _, l := range links {
		s := child(l.traceContext, l.span, r.span(l.traceContext, what, e.Conn, &x.Request, &x.Response), name, tracing.Span_SPAN_KIND_CONSUMER, from, to)
		a := entryAttributes(e, name, id, true)
		a.number(attrMessages, uint64(max(messages, 0)))
		r.give(s, a, x)
	}
}

// entryAttributes are those of all spans of an entry.
func entryAttributes(e *session.Event, operation string, id session.MessageID, hasID bool) (a attributes) {
	a.of(e)
	a.text(attrTopic, e.Topic())
	a.text(attrOperation, operation)
	if hasID {
		a.text(attrMessageID, strconv.FormatUint(id.Ledger, 10)+":"+strconv.FormatUint(id.Entry, 10))
	}
	return a
}

// hasPlace says whether an id is that of one entry: not where the topic is not
// stored, nor where the broker had the message already and answered -1:-1.
func hasPlace(topic string, id session.MessageID) bool {
	return !strings.HasPrefix(topic, "non-persistent:") && int64(id.Ledger) >= 0
}
