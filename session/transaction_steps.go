package session

import (
	"math"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
)

// txnSteps are the commands that belong to transactions: what each notes down
// until it is answered, for its transaction. All but NEW_TXN name one.
var txnSteps = map[pb.BaseCommand_Type]func(*Session, *decode.Frame, *Transaction, *txnAsk){
	pb.BaseCommand_NEW_TXN:                 askTxn,
	pb.BaseCommand_ADD_PARTITION_TO_TXN:    addPartitions,
	pb.BaseCommand_ADD_SUBSCRIPTION_TO_TXN: addSubscriptions,
	pb.BaseCommand_SEND:                    sendInTxn,
	pb.BaseCommand_ACK:                     ackInTxn,
	pb.BaseCommand_END_TXN:                 endTxn,
	pb.BaseCommand_END_TXN_ON_PARTITION:    endOnPartition,
	pb.BaseCommand_END_TXN_ON_SUBSCRIPTION: endOnSubscription,
}

// inTransaction takes a command that may belong to a transaction. What the back
// leg at a proxy has, the front leg has as well.
func (s *Session) inTransaction(c *Conn, f *decode.Frame, cmd *command) {
	a := cmd.answer
	switch id, ok := txnID(&f.Base, f.Sub, a.txnMost, a.txnLeast); {
	case c.front != nil:
	case a.txnMost == 0:
		s.txnAsks(c, f, cmd, nil)
	case ok: // not so of most SENDs and ACKs
		if t := s.transaction(c, id, &f.Last); t != nil {
			s.txnAsks(c, f, cmd, t)
			s.keepTransactions(t)
		}
	}
}

// txnAsks notes a request in a transaction; t is nil for the one that opens it.
func (s *Session) txnAsks(c *Conn, f *decode.Frame, cmd *command, t *Transaction) {
	ask := txnAsk{offset: f.Offset, txn: t}
	cmd.txn(s, f, t, &ask)
	key := txnAskKey{conn: c.ID, send: f.Is(int32(pb.BaseCommand_SEND))}
	if key.send {
		key.id, _ = f.Uint(field.CommandSendProducerId)
		key.seq, _ = f.Uint(field.CommandSendSequenceId)
	} else {
		var ok bool
		if key.id, ok = f.Uint(cmd.answer.requestID); !ok {
			return // an ACK that is not answered
		}
	}
	s.txns.asked[key] = ask
}

// longestTTL keeps a time to live in ns within 63 bits.
const longestTTL uint64 = math.MaxInt64 / 1_000_000

func askTxn(_ *Session, f *decode.Frame, _ *Transaction, ask *txnAsk) {
	ttl, _ := f.Uint(field.CommandNewTxnTxnTtlMillis)
	ask.ttl = int64(min(ttl, longestTTL)) * 1e6
}

func addPartitions(_ *Session, f *decode.Frame, t *Transaction, ask *txnAsk) {
	for i := range f.Base.Each(f.Sub, field.CommandAddPartitionToTxnPartitions) {
		ask.add(t.part(string(f.Base.Bytes(&f.Base.Nodes[i])), "", false))
	}
}

func addSubscriptions(_ *Session, f *decode.Frame, t *Transaction, ask *txnAsk) {
	for i := range f.Base.Each(f.Sub, field.CommandAddSubscriptionToTxnSubscription) {
		ask.add(t.subscriptionAt(&f.Base, i))
	}
}

// subscriptionAt gives the part that a Subscription names.
func (t *Transaction) subscriptionAt(w *wire.Walk, node int) *TxnPart {
	topic, _ := w.Text(node, field.SubscriptionTopic)
	name, _ := w.Text(node, field.SubscriptionSubscription)
	return t.part(string(topic), string(name), true)
}

func (a *txnAsk) add(p *TxnPart) {
	if p != nil {
		a.parts = append(a.parts, p)
	}
}

// sendInTxn counts the messages of a SEND; those in chunks with their first.
func sendInTxn(s *Session, f *decode.Frame, t *Transaction, ask *txnAsk) {
	if p := s.event.Producer; p != nil {
		ask.topic = p.Topic
	}
	ask.n = 1
	if f.HasMetadata {
		ask.n = int64(f.MessageCount())
		if i, _ := f.Metadata.Int32(wire.Top, field.MessageMetadataChunkId); i > 0 {
			ask.n = 0
		}
		_, named := txnID(&f.Metadata, wire.Top, field.MessageMetadataTxnidMostBits, field.MessageMetadataTxnidLeastBits)
		ask.bare = !named
	}
	ask.add(t.part(ask.topic, "", false))
	t.count(ask, &t.Messages, func(p *TxnPart) *int64 { return &p.Messages }, 1)
}

func ackInTxn(s *Session, f *decode.Frame, t *Transaction, ask *txnAsk) {
	if c := s.event.Consumer; c != nil {
		ask.add(t.part(c.Topic, c.Subscription, true))
	}
	for range IDs(f, field.CommandAckMessageId) {
		ask.n++
	}
	t.count(ask, &t.Acks, func(p *TxnPart) *int64 { return &p.Acks }, 1)
}

// count adds what a request brings, or takes it away again.
func (t *Transaction) count(ask *txnAsk, total *int64, of func(*TxnPart) *int64, sign int64) {
	*total += sign * ask.n
	for _, p := range ask.parts {
		*of(p) += sign * ask.n
	}
}

func endTxn(_ *Session, f *decode.Frame, t *Transaction, ask *txnAsk) {
	ask.commit = commits(f, field.CommandEndTxnTxnAction)
	t.Ending, t.EndedBy = f.Last, EndedByClient
	t.become(txnOutcomes[ask.commit].asked, &f.Last)
}

// commits reads a TxnAction: without one it is the first, COMMIT.
func commits(f *decode.Frame, number int32) bool {
	return first(f.Uint(number)) == uint64(pb.TxnAction_COMMIT)
}

func endOnPartition(_ *Session, f *decode.Frame, t *Transaction, ask *txnAsk) {
	p := t.part(string(f.Text(field.CommandEndTxnOnPartitionTopic)), "", false)
	t.coordinated(f, ask, p, field.CommandEndTxnOnPartitionTxnAction)
}

func endOnSubscription(_ *Session, f *decode.Frame, t *Transaction, ask *txnAsk) {
	var p *TxnPart
	if node, ok := f.Base.Sub(f.Sub, field.CommandEndTxnOnSubscriptionSubscription); ok {
		p = t.subscriptionAt(&f.Base, node)
	}
	t.coordinated(f, ask, p, field.CommandEndTxnOnSubscriptionTxnAction)
}

// coordinated takes what the coordinator tells the broker of a part: its end.
// Where the client has not asked for that, the coordinator does it of itself.
func (t *Transaction) coordinated(f *decode.Frame, ask *txnAsk, p *TxnPart, action int32) {
	ask.commit = commits(f, action)
	if p != nil {
		ask.add(p)
		p.End, p.EndingAt = enumName(f, action), f.Last.Time
	}
	if t.EndedBy == EndedByNobody && t.Opened {
		t.EndedBy = EndedByCoordinator
	}
	t.become(txnOutcomes[ask.commit].asked, &f.Last)
}

// txnAnswered takes an exchange, which may be that of a request in a transaction.
func (s *Session) txnAnswered(c *Conn, x *Exchange) {
	opens := x.HasResponse && x.Response.Type == int32(pb.BaseCommand_NEW_TXN_RESPONSE)
	if (len(s.txns.asked) == 0 && !opens) || (x.Kind != Request && x.Kind != Send) {
		return
	}
	ask, ok := s.takeTxnAsk(c, x)
	switch {
	case opens && c.front == nil:
		s.txnBegins(c, x, ask.ttl)
	case ok && x.HasResponse:
		s.txnStep(x, &ask)
	}
}

// takeTxnAsk takes what was noted down of the request of an exchange.
func (s *Session) takeTxnAsk(c *Conn, x *Exchange) (ask txnAsk, ok bool) {
	key := txnAskKey{conn: c.ID, id: x.RequestID}
	if x.Kind == Send {
		key = txnAskKey{c.ID, true, x.ProducerID, x.SequenceID}
	}
	if ask, ok = s.txns.asked[key]; !ok || !x.HasRequest || x.Request.Offset != ask.offset {
		return txnAsk{}, false
	}
	delete(s.txns.asked, key)
	return ask, true
}

func (s *Session) txnBegins(c *Conn, x *Exchange, ttl int64) {
	f := s.event.Frame
	if id, ok := TxnNamed(f); ok && x.Result != Failed {
		s.txnOpened(c, id, &f.Last, ttl)
	}
}

// txnStep takes the answer to a request in a transaction that is known.
func (s *Session) txnStep(x *Exchange, ask *txnAsk) {
	t, at := ask.txn, &s.event.Frame.Last
	if t.Ended {
		return
	}
	t.Last = *at
	if x.Result == Failed {
		t.refuse(x, ask, at)
		s.keepTransactions(t)
		if goneErrors[x.Error] && x.Request.Type == int32(pb.BaseCommand_END_TXN) {
			s.txnEnds(t, TxnFailed, EndedByNobody, at)
		}
		return
	}
	if t.State == TxnUnknown {
		t.become(TxnOpen, at)
	}
	if step := txnAgreed[pb.BaseCommand_Type(x.Request.Type)]; step != nil {
		step(s, t, x, ask)
	}
}

// goneErrors are the answers of a coordinator that does not have the transaction,
// or not any more.
var goneErrors = map[string]bool{"TransactionNotFound": true, "InvalidTxnStatus": true}

// txnAgreed says what follows from an answer without an error.
var txnAgreed = map[pb.BaseCommand_Type]func(s *Session, t *Transaction, x *Exchange, ask *txnAsk){
	pb.BaseCommand_ADD_PARTITION_TO_TXN:    partsAdded,
	pb.BaseCommand_ADD_SUBSCRIPTION_TO_TXN: partsAdded,
	pb.BaseCommand_SEND:                    storedInTxn,
	pb.BaseCommand_END_TXN: func(s *Session, t *Transaction, _ *Exchange, ask *txnAsk) {
		s.txnEnds(t, txnOutcomes[ask.commit].done, EndedByClient, &t.Last)
	},
	pb.BaseCommand_END_TXN_ON_PARTITION:    partsEnded,
	pb.BaseCommand_END_TXN_ON_SUBSCRIPTION: partsEnded,
}

func partsAdded(_ *Session, _ *Transaction, _ *Exchange, ask *txnAsk) {
	for _, p := range ask.parts {
		p.Added = true
	}
}

func storedInTxn(s *Session, t *Transaction, x *Exchange, ask *txnAsk) {
	if ask.bare && x.HasID && ask.topic != "" {
		s.txns.sent.put(txnEntry{ask.topic, entryKey{x.ID.Ledger, x.ID.Entry}}, t.ID)
	}
}

// partsEnded takes the agreement of parts to the end. An abort that no client
// has asked for is over with the last of them; nobody is told of it.
func partsEnded(s *Session, t *Transaction, x *Exchange, ask *txnAsk) {
	for _, p := range ask.parts {
		p.Ended, p.EndAt = true, x.Response.Time
	}
	if t.EndedBy == EndedByCoordinator && t.State == TxnAborting && t.allEnded() {
		s.txnEnds(t, TxnAborted, EndedByCoordinator, &t.Last)
	}
}

// refuse notes that a request was refused: what it brought does not count.
func (t *Transaction) refuse(x *Exchange, ask *txnAsk, at *decode.Position) {
	t.Refused++
	if len(t.Refusals) < maxTxnRefusals {
		t.Refusals = append(t.Refusals, TxnRefusal{x.Request.Type, x.Error, x.Text, *at})
		t.cost += txnPartCost + len(x.Text)
	}
	switch pb.BaseCommand_Type(x.Request.Type) {
	case pb.BaseCommand_SEND:
		t.count(ask, &t.Messages, func(p *TxnPart) *int64 { return &p.Messages }, -1)
	case pb.BaseCommand_ACK:
		t.count(ask, &t.Acks, func(p *TxnPart) *int64 { return &p.Acks }, -1)
	case pb.BaseCommand_END_TXN:
		t.become(TxnFailed, at)
	}
}
