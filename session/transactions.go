package session

import (
	"slices"

	"pulsar-dissect/decode"
)

// txnTable follows the transactions of a run over all connections, within the
// limits: the oldest is let go first. Those that have ended stay known without
// their details, so that what comes late does not begin them anew.
type txnTable struct {
	most, mostBytes int
	byID            map[TxnID]*Transaction
	order           []*Transaction // from head on, in the order of their beginning
	head            int
	bytes           int
	asked           map[txnAskKey]txnAsk
	sent            recent[txnEntry, TxnID] // entries whose metadata does not name their transaction
}

func (x *txnTable) setLimits(l *Limits) {
	x.most, x.mostBytes, x.sent.limit = l.Transactions, l.TransactionBytes, l.Transactions
	x.byID, x.asked = map[TxnID]*Transaction{}, map[txnAskKey]txnAsk{}
}

// txnAskKey names a request, or a SEND, in a transaction.
type txnAskKey struct {
	conn int
	send bool
	id   uint64 // request_id, or producer_id
	seq  uint64 // SEND: sequence_id
}

// txnAsk is a request in a transaction that was not answered yet. It is dropped
// with the exchange of the request, so that the limits of requests and of SENDs
// hold for it too.
type txnAsk struct {
	offset int64 // of the request
	ttl    int64 // NEW_TXN: ns
	txn    *Transaction
	parts  []*TxnPart
	commit bool   // END_TXN and the like
	n      int64  // messages of a SEND, ids of an ACK
	bare   bool   // the metadata of the SEND does not name the transaction
	topic  string // SEND
}

// transaction gives the transaction of an id, a new one where none is known;
// nil where all is known of it.
func (s *Session) transaction(c *Conn, id TxnID, at *decode.Position) *Transaction {
	t := s.txns.byID[id]
	if t == nil {
		t = s.newTransaction(c, id, at)
	}
	if t.Ended {
		return nil
	}
	t.Last = *at
	if t.latest != c {
		t.latest = c
		if !slices.Contains(t.Conns, c.ID) && len(t.Conns) < maxTxnConns {
			t.Conns = append(t.Conns, c.ID)
		}
	}
	return t
}

func (s *Session) newTransaction(c *Conn, id TxnID, at *decode.Position) *Transaction {
	x := &s.txns
	t := &Transaction{ID: id, Conn: c, First: *at, Since: at.Time, cost: txnCost}
	x.byID[id] = t
	x.order = append(x.order, t)
	x.count(t)
	for len(x.order)-x.head > x.most {
		s.letGoTransaction()
	}
	return t
}

// txnOpened begins a transaction. One of the same number that is open was left by
// another run of the coordinator, or is of another cluster.
func (s *Session) txnOpened(c *Conn, id TxnID, at *decode.Position, ttl int64) {
	if t := s.txns.byID[id]; t != nil && (t.Ended || t.Opened) {
		s.forgetTransaction(t, "number_used_anew")
	}
	if t := s.transaction(c, id, at); t != nil {
		t.Conn, t.First, t.Opened, t.TTL = c, *at, true, ttl
		if t.State == TxnUnknown {
			t.become(TxnOpen, at)
		}
	}
}

// count brings the bytes of a transaction into the sum.
func (x *txnTable) count(t *Transaction) {
	x.bytes += t.cost - t.counted
	t.counted = t.cost
}

// keepTransactions counts what a transaction has grown by, and lets others go
// until the bytes of all are within the limit again.
func (s *Session) keepTransactions(t *Transaction) {
	x := &s.txns
	x.count(t)
	for x.bytes > x.mostBytes && x.head < len(x.order) {
		s.letGoTransaction()
	}
}

// letGoTransaction forgets the oldest transaction.
func (s *Session) letGoTransaction() {
	x := &s.txns
	t := x.order[x.head]
	x.order[x.head] = nil
	if x.head++; x.head > 64 && x.head > len(x.order)/2 {
		x.order, x.head = append(x.order[:0], x.order[x.head:]...), 0
	}
	if x.byID[t.ID] == t {
		s.forgetTransaction(t, "limit")
	}
	x.bytes -= t.counted
}

// forgetTransaction gives a transaction that has not ended as it is, and takes
// its number off the table.
func (s *Session) forgetTransaction(t *Transaction, why string) {
	if !t.Ended {
		if why == "limit" {
			s.counters.Transactions++
		}
		s.giveUpTransaction(t, why)
	}
	delete(s.txns.byID, t.ID)
}

// giveUpTransaction gives a transaction of which no more will be seen.
func (s *Session) giveUpTransaction(t *Transaction, why string) {
	if t.settle(); !t.Ended {
		t.Why = why
	}
	s.emitTransaction(t)
}

// txnEnds ends a transaction.
func (s *Session) txnEnds(t *Transaction, state TxnState, by TxnEnder, at *decode.Position) {
	t.become(state, at)
	t.Ended, t.EndedBy = true, by
	s.emitTransaction(t)
}

// emitTransaction gives a transaction, and lets its details go.
func (s *Session) emitTransaction(t *Transaction) {
	kept := s.event
	s.event = Event{Conn: t.Conn, At: t.Last, Txn: t, session: s}
	s.emit(TxnSeen)
	s.event = kept
	t.Ended = true
	t.Conns, t.Parts, t.Markers, t.Refusals, t.Conn, t.latest = nil, nil, nil, nil, nil, nil
	t.cost = txnCost
	s.txns.count(t)
}

// finishTransactions gives those that are open at the end of the run.
func (s *Session) finishTransactions() {
	for _, t := range s.txns.order[s.txns.head:] {
		if t.Ended {
			continue
		}
		why := "capture_end"
		if t.Conn.closed() {
			why = "conn_closed"
		}
		s.giveUpTransaction(t, why)
	}
}
