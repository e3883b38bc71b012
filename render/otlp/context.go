package otlp

import (
	"encoding/hex"
	"strings"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/session"
)

type (
	traceID [16]byte
	spanID  [8]byte
)

// traceContext is the trace that a message is part of.
type traceContext struct {
	trace  traceID
	parent spanID // zero: none
	state  string // tracestate, handed on as it is
}

// The properties of a message that name its trace.
const (
	traceparent = "traceparent"
	tracestate  = "tracestate"
)

// stateKept is the size of a tracestate that is handed on, in bytes: so much
// everybody has to take (W3C Trace Context, 3.3.1.5).
const stateKept = 512

// contextOf reads what a message says of its trace. Without sampled, whoever began
// the trace does not record it.
func contextOf(m *session.Message) (c traceContext, sampled, ok bool) {
	w, number := m.Metadata, int32(field.MessageMetadataProperties)
	if m.Single != nil {
		w, number = m.Single, field.SingleMessageMetadataProperties
	}
	if w == nil {
		return c, false, false
	}
	for i := range w.Each(wire.Top, number) {
		key, _ := w.Text(i, field.KeyValueKey)
		value, _ := w.Text(i, field.KeyValueValue)
		switch {
		case string(key) == traceparent:
			c.trace, c.parent, sampled, ok = parse(string(value))
		case string(key) == tracestate && len(value) <= stateKept:
			c.state = label(string(value))
		}
	}
	return c, sampled, ok
}

// parse reads a traceparent: version, trace id, parent id and flags in lower-case
// hexadecimal. A later version may have more behind them (W3C Trace Context, 3.2).
func parse(text string) (t traceID, s spanID, sampled, ok bool) {
	const size = len("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	if len(text) < size || len(text) > size && (text[:2] == "00" || text[size] != '-') || text[:2] == "ff" {
		return t, s, false, false
	}
	var version, flags [1]byte
	for _, part := range []struct {
		to   []byte
		from int
	}{{version[:], 0}, {t[:], 3}, {s[:], 36}, {flags[:], 53}} {
		end := part.from + 2*len(part.to)
		digits := text[part.from:end]
		if _, err := hex.Decode(part.to, []byte(digits)); err != nil || digits != strings.ToLower(digits) || end < size && text[end] != '-' {
			return t, s, false, false
		}
	}
	return t, s, flags[0]&1 != 0, t != traceID{} && s != spanID{}
}

// contextsKept is how many traces of one entry are followed: each of its messages
// may have its own.
const contextsKept = 100

// contexts are the traces of the messages of an entry.
type contexts struct {
	all    []traceContext
	silent bool // some are not recorded
}

func (c *contexts) add(m *session.Message) {
	of, sampled, ok := contextOf(m)
	switch {
	case !ok:
	case !sampled:
		c.silent = true
	case len(c.all) < contextsKept && !c.has(of):
		c.all = append(c.all, of)
	}
}

func (c *contexts) has(of traceContext) bool {
	for i := range c.all {
		if c.all[i] == of {
			return true
		}
	}
	return false
}

// orOwn gives the traces, or one of the entry's own; none where all are not
// recorded.
func (c *contexts) orOwn(own traceID) []traceContext {
	if len(c.all) > 0 || c.silent {
		return c.all
	}
	return []traceContext{{trace: own}}
}
