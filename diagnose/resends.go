package diagnose

import (
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
	"pulsar-dissect/session/index"
)

// Limits of what is remembered of SENDs.
const (
	sendsRemembered     = 50_000  // of all producers, the latest
	resendsRemembered   = 100_000 // of all producers, the first
	producersRemembered = 10_000
	triesOfBlock        = 256
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
	history  *history
	key      piece
	on       *sendingConn
	opening  uint64
	packet   uint64
	time     int64     // ns since the Unix epoch
	offset   int64     // in its direction's stream
	earlier  *Evidence // of the try before it, nil if there was none
	resend   *resend   // that it makes, nil if none
	checksum uint32
	outcome  outcome
	dir      decode.Direction
}

// sendingConn is a connection that a producer sends on, as far as it is remembered
// when it has ended.
type sendingConn struct {
	tcp    *reassembly.Conn // nil once it has ended
	name   string
	id     int
	closed reassembly.Position // once it has ended
}

func (c *sendingConn) closing() *reassembly.Position {
	if c.tcp != nil {
		return &c.tcp.Closing
	}
	return &c.closed
}

func (t *try) evidence() Evidence {
	return Evidence{Conn: t.on.name, ConnID: t.on.id, Type: sendName, Packet: t.packet, Time: t.time, Offset: t.offset,
		Dir: t.dir.String()}
}

// sendName is the name of the command.
var sendName = decode.TypeName(int32(pb.BaseCommand_SEND))

// again says whether a SEND is another try of an earlier one: in a later
// opening of the producer, when the connection of the earlier one was at its
// end. Else it is the same one, seen on both sides of a proxy.
func (t *try) again(first *try) bool {
	switch {
	case !t.same(first):
		return false
	case t.on.id == first.on.id:
		return t.opening != first.opening
	}
	closing := first.on.closing()
	return closing.Order != 0 && closing.Time < t.time
}

// same says whether two SENDs carry the same bytes, by the checksum that the
// client made once for the message.
func (t *try) same(o *try) bool { return t.checksum == o.checksum }

// piece is a sequence id, and of a chunk its number: all chunks of a message
// share one sequence id.
type piece struct{ sequence, chunk uint64 }

// history is what a producer name has sent to a topic, over all its
// connections and openings.
type history struct {
	producerOf
	number uint64 // in the order in which they began
	tries  int    // that are remembered
	resent []*resend
	over   bool // nothing of it is remembered any more
}

// resend is a message that was sent in one opening of a producer and again in
// a later one, and what became of both.
type resend struct {
	sequence     uint64
	time         int64 // of the second, ns since the Unix epoch
	first, again outcome
	evidence     []Evidence // of both; only where it will be shown
}

// histories follow the SENDs of all producers whose names are known, for all
// rules together: the latest try of each piece. Those of replicators are left
// out: their ids are those of the source cluster.
type histories struct {
	by        map[producerOf]*history
	begun     uint64
	notes     perProducer[historyNote]
	blocks    []*[triesOfBlock]try
	kept      int // places in blocks: a ring once there are sendsRemembered
	oldest    int // place that is taken next
	index     index.Index
	resent    int
	resenders []*history

	now *try // the SEND at hand, or the one that the exchange at hand answers
}

// historyNote is what is known at a producer of a connection.
type historyNote struct {
	history *history
	on      *sendingConn
}

// producerOf tells producers by topic and name, over all connections.
type producerOf struct{ topic, name string }

// histories gives what follows SENDs and what became of them. A rule asks for
// it in its Start; it has seen an event before the rule does.
func (r *Reporter) histories() *histories {
	if r.engine.histories == nil {
		r.engine.histories = &histories{by: map[producerOf]*history{}, notes: newPerProducer[historyNote](r), index: index.New()}
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

// of gives the history of the producer of an event, nil where its name is not
// known.
func (hs *histories) of(e *session.Event) *historyNote {
	p := e.Producer
	if p.Name == "" || p.Topic == "" || strings.HasPrefix(p.Name, "pulsar.repl") {
		return nil
	}
	n := hs.notes.of(e)
	if h := n.history; h == nil || h.over || h.name != p.Name || h.topic != p.Topic {
		n.history = hs.open(producerOf{p.Topic, p.Name})
	}
	if n.on == nil {
		n.on = &sendingConn{tcp: e.Conn.TCP, name: e.Conn.Name, id: e.Conn.ID}
	}
	if n.history == nil {
		return nil
	}
	return n
}

// open finds or makes a history; nil where there are too many.
func (hs *histories) open(of producerOf) *history {
	h := hs.by[of]
	if h == nil && len(hs.by) < producersRemembered {
		hs.begun++
		h = &history{producerOf: of, number: hs.begun}
		hs.by[of] = h
	}
	return h
}

func (hs *histories) send(e *session.Event) {
	n, f := hs.of(e), e.Frame
	if n == nil {
		return
	}
	t := try{history: n.history, on: n.on, opening: e.Producer.Opening(), checksum: f.StoredChecksum, packet: e.At.Packet, time: e.At.Time,
		offset: e.Offset, dir: e.Direction}
	t.key.sequence, _ = f.Uint(field.CommandSendSequenceId)
	if f.HasMetadata {
		t.key.chunk, _ = f.Metadata.Uint(-1, field.MessageMetadataChunkId)
	}
	if before := hs.find(t.history, t.key); before != nil {
		hs.another(&t, before)
		*before, hs.now = t, before
		return
	}
	t.history.tries++
	hs.now = hs.room()
	*hs.now = t
	hs.index.Add(hs.hash(t.history, t.key), hs.placeOf())
}

// another ties a try to the one before.
func (hs *histories) another(t, before *try) {
	earlier := before.evidence()
	t.earlier = &earlier
	if !t.again(before) || hs.resent >= resendsRemembered {
		return
	}
	hs.resent++
	h := t.history
	t.resend = &resend{sequence: before.key.sequence, time: t.time, first: before.outcome}
	if len(h.resent) < evidenceKept/2 {
		t.resend.evidence = []Evidence{earlier, t.evidence()}
	}
	if len(h.resent) == 0 {
		hs.resenders = append(hs.resenders, h)
	}
	h.resent = append(h.resent, t.resend)
}

func (hs *histories) hash(h *history, p piece) uint32 {
	return hs.index.Hash(h.number<<32^p.chunk, p.sequence)
}

// find gives the latest try of a piece, nil if it is not remembered.
func (hs *histories) find(h *history, p piece) *try {
	hash := hs.hash(h, p)
	for place, at := hs.index.Find(hash); place >= 0; place, at = hs.index.Next(hash, at) {
		if t := hs.at(place); t.key == p && t.history == h {
			return t
		}
	}
	return nil
}

func (hs *histories) at(place int) *try { return &hs.blocks[place/triesOfBlock][place%triesOfBlock] }

// room makes room for a try, by forgetting the oldest one.
func (hs *histories) room() *try {
	if hs.kept < sendsRemembered {
		if hs.kept == len(hs.blocks)*triesOfBlock {
			hs.blocks = append(hs.blocks, new([triesOfBlock]try))
		}
		hs.kept++
		return hs.at(hs.kept - 1)
	}
	t := hs.at(hs.oldest)
	hs.index.Remove(hs.hash(t.history, t.key), hs.oldest)
	if t.history.tries--; t.history.tries == 0 {
		hs.letGo(t.history)
	}
	hs.oldest = (hs.oldest + 1) % sendsRemembered
	return t
}

// placeOf is where the try that room gave last is in the ring.
func (hs *histories) placeOf() int {
	if hs.kept < sendsRemembered || hs.oldest == 0 {
		return hs.kept - 1
	}
	return hs.oldest - 1
}

// letGo forgets a history of which no try is remembered.
func (hs *histories) letGo(h *history) {
	if len(h.resent) == 0 {
		h.over = true
		delete(hs.by, h.producerOf)
	}
}

// answered notes what became of the try that an answer is for.
func (hs *histories) answered(e *session.Event) {
	n, x := hs.of(e), e.Exchange
	if n == nil {
		return
	}
	t := hs.find(n.history, piece{sequence: x.SequenceID})
	for chunk := uint64(1); t != nil && t.offset != x.Request.Offset; chunk++ {
		t = hs.find(n.history, piece{x.SequenceID, chunk})
	}
	if t == nil || t.on.id != e.Conn.ID || x.Result == session.Unanswered {
		return
	}
	t.outcome = outcomeOf(x)
	if t.resend != nil {
		t.resend.again = t.outcome
	}
	hs.now = t
}

// connectionEnd lets a connection go.
func (hs *histories) connectionEnd(c *session.Conn) {
	for _, p := range c.Producers {
		if n := hs.notes.at(p); n != nil && n.on != nil {
			n.on.closed, n.on.tcp = c.TCP.Closing, nil
		}
	}
}

// storedLater says whether a message that was sent at a time, ns, was sent again
// later and then has a place, or was known.
func (hs *histories) storedLater(p producerOf, sequence uint64, than int64) bool {
	h := hs.by[p]
	if h == nil {
		return false
	}
	t := hs.find(h, piece{sequence: sequence})
	return t != nil && t.time > than && (t.outcome == stored || t.outcome == duplicate)
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
