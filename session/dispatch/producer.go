package dispatch

import (
	"slices"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/session"
)

// Producer is what is followed of a producer id of a connection.
type Producer struct {
	Notes []any // of those who watch

	topic *Topic // by name; nil where it is not followed
	name  string
	round uint64 // of the tracker, when topic was looked up
	sends sendNotes
}

// ProducerOf gives the producer of an event; nil where it is about none.
func (t *Tracker) ProducerOf(e *session.Event) *Producer {
	if e.Producer == nil {
		return nil
	}
	p, _ := e.Producer.State.(*Producer)
	if p == nil {
		p = &Producer{}
		e.Producer.State = p
	}
	return p
}

// topicAt gives the topic of a producer at the server of an event, nil where it
// is not followed.
func (t *Tracker) topicAt(p *Producer, e *session.Event) *Topic {
	if p.round != t.topicsRound || p.name != e.Producer.Topic {
		p.name, p.round = e.Producer.Topic, t.topicsRound
		p.topic = t.topics[topicKey{p.name, t.connection(e.Conn).server}]
	}
	return p.topic
}

// send notes what is to be stored in a topic that is followed.
func (t *Tracker) send(e *session.Event) {
	if e.Producer == nil || len(t.topics) == 0 {
		return
	}
	p := t.ProducerOf(e)
	topic := t.topicAt(p, e)
	if topic == nil || !topic.stored {
		return
	}
	if t.sends >= t.limits.Sends {
		t.counters.Sends++
		return
	}
	n := sendNote{offset: e.Offset, topic: topic}
	if topic.keyed {
		n.key = keyOf(e.Frame)
	}
	if id, inTxn := session.TxnOf(e.Frame); inTxn {
		n.later = true
		t.openTxn(id, topic)
	}
	if m := &e.Frame.Metadata; e.Frame.HasMetadata && !n.later {
		n.later = m.Find(wire.Top, field.MessageMetadataDeliverAtTime) >= 0 || m.Find(wire.Top, field.MessageMetadataMarkerType) >= 0
	}
	if p.sends.add(n) {
		t.sends++
	}
}

// sendEnds takes a receipt: subscriptions now wait for the entry.
func (t *Tracker) sendEnds(e *session.Event) {
	x := e.Exchange
	if !x.HasRequest || e.Producer == nil {
		return
	}
	p, _ := e.Producer.State.(*Producer)
	if p == nil {
		return
	}
	n, ok := p.sends.take(x.Request.Offset)
	if !ok {
		return
	}
	t.sends--
	if x.Result != session.OK || !x.HasID || positionOf(x.ID) == nowhere {
		return
	}
	n.topic.Stored++
	n.topic.LastSeen = x.Response.Time
	if n.later {
		return
	}
	for _, s := range n.topic.subs {
		t.owe(s, owed{Position: positionOf(x.ID), since: x.Response.Time, key: n.key})
	}
}

// sendNote is what a SEND says of when consumers will see the entry.
type sendNote struct {
	offset int64 // of the SEND
	topic  *Topic
	key    string
	later  bool // not at once: delayed, in a transaction, or never (a marker)
	done   bool
}

// sendNotes has the SENDs of a producer that wait for their receipt, in the
// order of their offsets.
type sendNotes struct {
	list []sendNote
	head int // list[:head] are done
	open int
}

func (q *sendNotes) add(n sendNote) bool {
	last := len(q.list) - 1
	switch {
	case q.open == 0:
		q.list, q.head = q.list[:0], 0
	case q.list[last].offset >= n.offset:
		return false
	case len(q.list) >= 2*q.open+64:
		q.list = slices.DeleteFunc(q.list, func(x sendNote) bool { return x.done })
		q.head = 0
	}
	q.list = append(q.list, n)
	q.open++
	return true
}

// take takes out the SEND at an offset.
func (q *sendNotes) take(offset int64) (n sendNote, ok bool) {
	if q.open == 0 {
		return n, false
	}
	i := q.head
	if q.list[i].offset != offset {
		i, ok = slices.BinarySearchFunc(q.list, offset, func(x sendNote, at int64) int { return int(x.offset - at) })
		if !ok || q.list[i].done {
			return n, false
		}
	}
	n = q.list[i]
	q.list[i] = sendNote{offset: offset, done: true}
	q.open--
	for q.head < len(q.list) && q.list[q.head].done {
		q.head++
	}
	return n, true
}
