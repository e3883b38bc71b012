package diagnose

import (
	"strings"

	"pulsar-dissect/proto/field"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
)

// Limits of what is remembered of SENDs.
const (
	sendsRemembered     = 10_000 // per producer name and topic, the latest
	producersRemembered = 10_000
)

// outcome is what became of a SEND.
type outcome uint8

const (
	pending   outcome = iota // nothing yet, or never
	stored                   // a receipt with the place
	duplicate                // a receipt with -1:-1
	refusedIt                // SEND_ERROR
)

// try is one SEND of a message, or of a chunk of one.
type try struct {
	tcp      *reassembly.Conn
	opening  uint64
	key      piece
	checksum uint32
	outcome  outcome
	stored   session.MessageID // where, by its receipt
	evidence Evidence
}

// again says whether a SEND is another try of an earlier one: in a later
// opening of the producer, when the connection of the earlier one was at its
// end. Else it is the same one, seen on both sides of a proxy.
func (t *try) again(first *try) bool {
	switch {
	case !t.same(first):
		return false
	case t.tcp == first.tcp:
		return t.opening != first.opening
	}
	closing := &first.tcp.Closing
	return closing.Order != 0 && closing.Time < t.evidence.Time
}

// same says whether two SENDs carry the same bytes, by the checksum that the
// client made once for the message.
func (t *try) same(o *try) bool { return t.checksum == o.checksum }

// piece is a sequence id, and of a chunk its number: all chunks of a message
// share one sequence id.
type piece struct{ sequence, chunk uint64 }

// history is what a producer name has sent to a topic, over all its
// connections and openings: the latest try of each piece.
type history struct {
	name, topic string
	latest      map[piece]*try
	order       []piece // oldest first
	resent      []resend
}

// resend is a message that was sent in one opening of a producer and again in
// a later one.
type resend struct{ first, again *try }

func (h *history) put(t *try) {
	if h.latest[t.key] == nil {
		if len(h.order) == sendsRemembered {
			delete(h.latest, h.order[0])
			h.order = h.order[1:]
		}
		h.order = append(h.order, t.key)
	}
	h.latest[t.key] = t
}

// histories follow the SENDs of all producers whose names are known. Those of
// replicators are left out: their ids are those of the source cluster.
type histories struct {
	by    map[sent]*history
	order []*history
}

func newHistories() *histories { return &histories{by: map[sent]*history{}} }

// of gives the history of a producer, nil where its name is not known.
func (hs *histories) of(p *session.Producer) *history {
	if p == nil || p.Name == "" || p.Topic == "" || strings.HasPrefix(p.Name, "pulsar.repl") {
		return nil
	}
	key := sent{topic: p.Topic, name: p.Name}
	h := hs.by[key]
	if h == nil && len(hs.order) < producersRemembered {
		h = &history{name: p.Name, topic: p.Topic, latest: map[piece]*try{}}
		hs.by[key], hs.order = h, append(hs.order, h)
	}
	return h
}

// send takes a SEND and gives the try before it, nil if there was none.
func (hs *histories) send(e *session.Event) (h *history, now, before *try) {
	if h = hs.of(e.Producer); h == nil {
		return nil, nil, nil
	}
	f := e.Frame
	now = &try{tcp: e.Conn.TCP, opening: e.Producer.Opening(), checksum: f.StoredChecksum, evidence: here(e)}
	now.key.sequence, _ = f.Uint(field.CommandSendSequenceId)
	if f.HasMetadata {
		now.key.chunk, _ = f.Metadata.Uint(-1, field.MessageMetadataChunkId)
	}
	before = h.latest[now.key]
	h.put(now)
	return h, now, before
}

// answered takes the answer to a SEND: it notes what became of the try that
// it answers.
func (hs *histories) answered(e *session.Event) (h *history, t *try) {
	x := e.Exchange
	if x.Kind != session.Send || !x.HasRequest {
		return nil, nil
	}
	if h = hs.of(e.Producer); h == nil {
		return nil, nil
	}
	t = h.latest[piece{sequence: x.SequenceID}]
	for chunk := uint64(1); t != nil && t.evidence.Offset != x.Request.Offset; chunk++ {
		t = h.latest[piece{x.SequenceID, chunk}]
	}
	if t == nil || t.tcp != e.Conn.TCP {
		return nil, nil
	}
	t.outcome, t.stored = outcomeOf(x), x.ID
	return h, t
}

func outcomeOf(x *session.Exchange) outcome {
	switch {
	case x.Result == session.OK && deduplicated(x):
		return duplicate
	case x.Result == session.OK:
		return stored
	case x.Result == session.Failed:
		return refusedIt
	}
	return pending
}

// deduplicated says whether a receipt names no place: the broker took the
// message for one that it has, and threw it away.
func deduplicated(x *session.Exchange) bool {
	const none = 1<<64 - 1 // -1
	return x.HasID && x.ID.Ledger == none && x.ID.Entry == none
}
