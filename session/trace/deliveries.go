package trace

import (
	"maps"
	"slices"
	"strings"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/session"
)

// delivered takes a message that comes to a consumer.
func (t *Trace) delivered(e *session.Event) {
	m := e.Message
	if !m.HasID || m.Message == nil || m.Metadata == nil {
		return
	}
	if nonPersistent(e.Topic()) {
		t.passed(e)
		return
	}
	id := Entry{m.ID.Ledger, m.ID.Entry}
	story, ok := t.ids[id]
	if !ok {
		if story = t.story(m); story < 0 && t.want.ID != nil && *t.want.ID == id {
			story = t.begin()
		}
	}
	here := place{e.Conn.ID, e.At.Packet, e.Offset, 1}
	if story < 0 || t.frame == here {
		return
	}
	t.frame = here
	t.know(id, story)
	s := step(e, "delivered")
	s.ID, s.HasID, s.Again = id, true, m.RedeliveryCount
	t.add(s, story)
	t.opened(e.Consumer, id, story)
}

func nonPersistent(topic string) bool { return strings.HasPrefix(topic, "non-persistent:") }

// passed takes a delivery on a topic that is not stored, where all entries have
// the same id: it is known by who sent it and as what.
func (t *Trace) passed(e *session.Event) {
	k := sendKey{e.Topic(), producerOf(e.Message), first(e.Message.Metadata.Uint(wire.Top, field.MessageMetadataSequenceId))}
	story, ok := t.sends[k]
	if !ok {
		story = t.story(e.Message)
	}
	here := place{e.Conn.ID, e.At.Packet, e.Offset, 1}
	if story < 0 || t.frame == here {
		return
	}
	t.frame = here
	if len(t.sends) < t.limits.Sends {
		t.sends[k] = story
	}
	t.add(step(e, "delivered"), story)
}

func first(n uint64, _ bool) uint64 { return n }

// opened notes that a consumer has an entry.
func (t *Trace) opened(c *session.Consumer, id Entry, story int) {
	if t.open[c] == nil {
		t.open[c] = map[Entry]int{}
	}
	t.open[c][id] = story
}

// askedAgain takes a REDELIVER_UNACKNOWLEDGED_MESSAGES: of entries, or of all that
// the consumer has.
func (t *Trace) askedAgain(e *session.Event) {
	all := true
	for id := range session.IDs(e.Frame, field.CommandRedeliverUnacknowledgedMessagesMessageIds) {
		all = false
		at := Entry{id.Ledger, id.Entry}
		if story, ok := t.ids[at]; ok {
			t.asked(e, at, story, "")
		}
	}
	if !all {
		return
	}
	for _, id := range slices.SortedFunc(maps.Keys(t.open[e.Consumer]), Entry.compare) {
		t.asked(e, id, t.open[e.Consumer][id], "of all that it has")
	}
}

func (t *Trace) asked(e *session.Event, id Entry, story int, detail string) {
	s := step(e, "redelivery_asked")
	s.ID, s.HasID, s.Detail = id, true, detail
	t.add(s, story)
}

var outcomes = map[session.Result]string{session.OK: "acked", session.Repeat: "acked", session.Redelivered: "redelivered", session.Unacked: "unacked"}

func (t *Trace) acknowledged(e *session.Event, x *session.Exchange) {
	what := outcomes[x.Result]
	if what == "" {
		return
	}
	if x.Cumulative {
		for i := range x.Covers {
			t.ack(e, what, x.Covers[i].ID, x.Covers[i].Latency, "cumulative")
		}
		return
	}
	latency, _ := x.Latency()
	t.ack(e, what, x.ID, latency, x.Why)
}

func (t *Trace) ack(e *session.Event, what string, at session.MessageID, latency int64, detail string) {
	id := Entry{at.Ledger, at.Entry}
	story, ok := t.ids[id]
	if !ok {
		return
	}
	s := step(e, what)
	s.ID, s.HasID, s.Latency, s.Detail = id, true, latency, detail
	if !e.Exchange.HasResponse {
		s.Packet, s.Time = ending(e)
	}
	t.add(s, story)
	delete(t.open[e.Consumer], id)
	if what == "redelivered" {
		t.opened(e.Consumer, id, story)
	}
}

// ending is when a delivery ended without an acknowledgement: with the frame at
// hand, or with its connection.
func ending(e *session.Event) (packet uint64, ns int64) {
	switch c := e.Conn.TCP; {
	case e.Frame != nil:
		return e.Frame.Last.Packet, e.Frame.Last.Time
	case c.Closing.Order != 0:
		return c.Closing.Packet, c.Closing.Time
	default:
		return c.Last.Packet, c.Last.Time
	}
}
