package diagnose

import (
	"strings"

	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
)

// Limits of what is remembered of SENDs.
const (
	sendsRemembered     = 200_000 // of all producers, the latest
	resendsRemembered   = 100_000 // of all producers, the first
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
	earlier  *Evidence // of the try before it, nil if there was none
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
	resent      []resend
}

// resend is a message that was sent in one opening of a producer and again in
// a later one.
type resend struct{ first, again *try }

// histories follow the SENDs of all producers whose names are known, for all
// rules together. Those of replicators are left out: their ids are those of the
// source cluster.
type histories struct {
	by     map[producerOf]*history
	order  []*history
	sends  []place // a ring once it is full
	oldest int     // place in sends that is taken next
	resent int

	now *try // the SEND at hand, or the one that the exchange at hand answers
}

// place is where a try is kept.
type place struct {
	history *history
	key     piece
}

// producerOf tells producers by topic and name, over all connections.
type producerOf struct{ topic, name string }

// histories gives what follows SENDs and what became of them. A rule asks for
// it in its Start; it has seen an event before the rule does.
func (r *Reporter) histories() *histories {
	if r.engine.histories == nil {
		r.engine.histories = newHistories()
	}
	return r.engine.histories
}

// see takes an event, any.
func (hs *histories) see(e *session.Event) {
	hs.now = nil
	switch {
	case e.Producer == nil:
	case e.Kind == session.FrameSeen && e.Frame.Is(int32(pb.BaseCommand_SEND)):
		hs.send(e)
	case e.Kind == session.ExchangeSeen && e.Exchange.Kind == session.Send && e.Exchange.HasRequest:
		hs.answered(e)
	}
}

func newHistories() *histories { return &histories{by: map[producerOf]*history{}} }

// of gives the history of a producer, nil where its name is not known.
func (hs *histories) of(p *session.Producer) *history {
	if p == nil || p.Name == "" || p.Topic == "" || strings.HasPrefix(p.Name, "pulsar.repl") {
		return nil
	}
	key := producerOf{p.Topic, p.Name}
	h := hs.by[key]
	if h == nil && len(hs.order) < producersRemembered {
		h = &history{name: p.Name, topic: p.Topic, latest: map[piece]*try{}}
		hs.by[key], hs.order = h, append(hs.order, h)
	}
	return h
}

func (hs *histories) send(e *session.Event) {
	h, f := hs.of(e.Producer), e.Frame
	if h == nil {
		return
	}
	t := &try{tcp: e.Conn.TCP, opening: e.Producer.Opening(), checksum: f.StoredChecksum, evidence: here(e)}
	t.key.sequence, _ = f.Uint(field.CommandSendSequenceId)
	if f.HasMetadata {
		t.key.chunk, _ = f.Metadata.Uint(-1, field.MessageMetadataChunkId)
	}
	if before := h.latest[t.key]; before != nil {
		t.earlier = &before.evidence
		if t.again(before) && hs.resent < resendsRemembered {
			hs.resent++
			h.resent = append(h.resent, resend{before, t})
		}
	} else {
		hs.room(place{h, t.key})
	}
	h.latest[t.key] = t
	hs.now = t
}

// room makes room for a try, by forgetting the oldest one.
func (hs *histories) room(p place) {
	if len(hs.sends) < sendsRemembered {
		hs.sends = append(hs.sends, p)
		return
	}
	old := &hs.sends[hs.oldest]
	delete(old.history.latest, old.key)
	*old = p
	hs.oldest = (hs.oldest + 1) % sendsRemembered
}

// answered notes what became of the try that an answer is for.
func (hs *histories) answered(e *session.Event) {
	h, x := hs.of(e.Producer), e.Exchange
	if h == nil {
		return
	}
	t := h.latest[piece{sequence: x.SequenceID}]
	for chunk := uint64(1); t != nil && t.evidence.Offset != x.Request.Offset; chunk++ {
		t = h.latest[piece{x.SequenceID, chunk}]
	}
	if t != nil && t.tcp == e.Conn.TCP && x.Result != session.Unanswered {
		t.outcome = outcomeOf(x)
		hs.now = t
	}
}

// storedLater says whether a message that was sent at a time, ns, was sent again
// later and then has a place, or was known.
func (hs *histories) storedLater(p producerOf, sequence uint64, than int64) bool {
	h := hs.by[p]
	if h == nil {
		return false
	}
	t := h.latest[piece{sequence: sequence}]
	return t != nil && t.evidence.Time > than && (t.outcome == stored || t.outcome == duplicate)
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
