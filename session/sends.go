package session

import (
	"sort"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
)

// send is a SEND that waits for its receipt.
type send struct {
	Ref
	sequence  uint64
	opening   uint64
	answered  bool
	marker    bool
	relayed   bool // its metadata has replicated_from
	cut       bool // its metadata was not captured
	hasSource bool // it names its position in the source cluster
	source    position
}

type position struct{ ledger, entry uint64 }

// sendQueue holds the SENDs of a producer in the order sent. While sequence
// ids only grow, which is what a producer does within one opening, a receipt's
// SEND is found by halving.
type sendQueue struct {
	stale     []send           // of former openings of the producer
	staleHead int              // stale[:staleHead] are answered
	staleIDs  map[uint64]int32 // how many of stale have a sequence id
	open      []send
	head      int  // open[:head] are answered
	unsorted  bool // sequence ids have gone back
	relayed   int  // how many have replicated_from
}

func (q *sendQueue) push(x send) {
	if n := len(q.open); n == q.head {
		q.open, q.head, q.unsorted = q.open[:0], 0, false
	} else if x.sequence < q.open[n-1].sequence {
		q.unsorted = true
	}
	q.relayed += x.isRelayed()
	q.open = append(q.open, x)
}

// reopen sets aside what a former opening sent: it may be sent again.
func (q *sendQueue) reopen() {
	for _, x := range q.open[q.head:] {
		if x.answered {
			continue
		}
		if q.staleIDs == nil {
			q.staleIDs = map[uint64]int32{}
		}
		q.staleIDs[x.sequence]++
		q.stale = append(q.stale, x)
	}
	q.open, q.head, q.unsorted = q.open[:0], 0, false
}

// superseded takes out what former openings sent under a sequence id that is
// sent anew.
func (q *sendQueue) superseded(sequence uint64, take func(*send)) {
	for i := q.staleHead; q.staleIDs[sequence] > 0; i++ {
		if x := &q.stale[i]; !x.answered && x.sequence == sequence {
			old := q.answerStale(i)
			take(&old)
			i = max(i, q.staleHead) - 1
		}
	}
}

// bySequence takes out the oldest SEND with a sequence id.
func (q *sendQueue) bySequence(sequence uint64) (send, bool) {
	if q.staleIDs[sequence] > 0 || q.unsorted {
		return q.first(func(x *send) bool { return x.sequence == sequence })
	}
	open := q.open[q.head:]
	if len(open) > 0 && open[0].sequence == sequence && !open[0].answered {
		return q.answer(q.head), true
	}
	i := sort.Search(len(open), func(i int) bool { return open[i].sequence >= sequence })
	for ; i < len(open) && open[i].sequence == sequence; i++ {
		if !open[i].answered {
			return q.answer(q.head + i), true
		}
	}
	return send{}, false
}

// first takes out the oldest SEND that fits.
func (q *sendQueue) first(fits func(*send) bool) (send, bool) {
	for i := q.staleHead; i < len(q.stale); i++ {
		if !q.stale[i].answered && fits(&q.stale[i]) {
			return q.answerStale(i), true
		}
	}
	for i := q.head; i < len(q.open); i++ {
		if !q.open[i].answered && fits(&q.open[i]) {
			return q.answer(i), true
		}
	}
	return send{}, false
}

func (q *sendQueue) answerStale(i int) send {
	x := q.stale[i]
	q.relayed -= x.isRelayed()
	q.stale[i].answered = true
	if q.staleIDs[x.sequence]--; q.staleIDs[x.sequence] == 0 {
		delete(q.staleIDs, x.sequence)
	}
	for q.staleHead < len(q.stale) && q.stale[q.staleHead].answered {
		q.staleHead++
	}
	if q.staleHead == len(q.stale) {
		q.stale, q.staleHead = q.stale[:0], 0
	}
	return x
}

func (x *send) isRelayed() int {
	if x.relayed {
		return 1
	}
	return 0
}

func (q *sendQueue) answer(i int) send {
	x := q.open[i]
	q.relayed -= x.isRelayed()
	q.open[i].answered = true
	for q.head < len(q.open) && q.open[q.head].answered {
		q.head++
	}
	if q.head > 64 && q.head > len(q.open)/2 {
		n := copy(q.open, q.open[q.head:])
		q.open, q.head = q.open[:n], 0
	}
	return x
}

// rest gives what was never answered, oldest first.
func (q *sendQueue) rest() (out []send) {
	for _, list := range [...][]send{q.stale[q.staleHead:], q.open[q.head:]} {
		for _, x := range list {
			if !x.answered {
				out = append(out, x)
			}
		}
	}
	return out
}

// size is how many are held.
func (q *sendQueue) size() int { return len(q.stale) - q.staleHead + len(q.open) - q.head }

func (s *Session) send(c *Conn, f *decode.Frame) {
	p := s.producer(c, first(f.Uint(field.CommandSendProducerId)))
	s.event.Producer = p
	s.sends(c, p, f)
	s.emitFrame(f)
	x := send{Ref: refOf(f), opening: p.opening, cut: !f.HasMetadata}
	x.sequence, _ = f.Uint(field.CommandSendSequenceId)
	x.marker = first(f.Uint(field.CommandSendMarker)) != 0
	if f.HasMetadata && (!p.Named || p.replicator()) {
		x.relayed = f.Metadata.Find(wire.Top, field.MessageMetadataReplicatedFrom) >= 0
		x.source, x.hasSource = sourcePosition(&f.Metadata)
	}
	p.sends.superseded(x.sequence, func(old *send) { s.unansweredSend(p, old, "producer_reopened") })
	if p.sends.size() >= s.limits.SendsPerProducer {
		if old, ok := p.sends.first(func(*send) bool { return true }); ok {
			s.counters.Sends++
			s.unansweredSend(p, &old, "limit")
		}
	}
	p.sends.push(x)
	s.entry(c, f)
}

func (s *Session) unansweredSend(p *Producer, sent *send, why string) {
	s.event.Producer = p
	x := s.newExchange(Send)
	x.Result, x.HasRequest, x.Request, x.Why = Unanswered, true, sent.Ref, why
	x.ProducerID, x.SequenceID = p.ID, sent.sequence
	s.emitExchange(x)
}

func (s *Session) sendReceipt(c *Conn, f *decode.Frame) {
	p := s.producer(c, first(f.Uint(field.CommandSendReceiptProducerId)))
	s.event.Producer = p
	id, hasID := MessageID{}, false
	if node, ok := f.Base.Sub(f.Sub, field.CommandSendReceiptMessageId); ok {
		id, hasID = messageID(&f.Base, node), true
		s.stands(c, p.whereabouts(), id)
	}
	s.emitFrame(f)
	x := s.newExchange(Send)
	x.ProducerID, x.HasResponse, x.Response, x.ID, x.HasID = p.ID, true, refOf(f), id, hasID
	x.SequenceID, _ = f.Uint(field.CommandSendReceiptSequenceId)
	sent, ok := c.receipted(p, f, x.SequenceID)
	s.answerSend(x, &sent, ok)
}

func (s *Session) sendError(c *Conn, f *decode.Frame) {
	p := s.producer(c, first(f.Uint(field.CommandSendErrorProducerId)))
	s.event.Producer = p
	s.emitFrame(f)
	x := s.newExchange(Send)
	x.Result, x.ProducerID, x.HasResponse, x.Response = Failed, p.ID, true, refOf(f)
	x.SequenceID, _ = f.Uint(field.CommandSendErrorSequenceId)
	x.Error, x.Text = errorName(f, field.CommandSendErrorError), string(f.Text(field.CommandSendErrorMessage))
	sent, ok := p.sends.bySequence(x.SequenceID)
	s.answerSend(x, &sent, ok)
}

func (s *Session) answerSend(x *Exchange, sent *send, ok bool) {
	if ok {
		x.HasRequest, x.Request, x.SequenceID = true, sent.Ref, sent.sequence
	} else {
		x.Result = OrphanResponse
	}
	s.linkSend(x)
	s.emitExchange(x)
}
