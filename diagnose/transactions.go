package diagnose

import (
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// transaction is a transaction from the answer to NEW_TXN to its end.
type transaction struct {
	id     session.TxnID
	conn   *session.Conn // of NEW_TXN
	opened Evidence      // NEW_TXN_RESPONSE
	ttl    int64         // ns; 0 where the client did not say
	action string        // COMMIT or ABORT asked for by END_TXN; empty while none was
	ended  Evidence      // END_TXN
	byTC   bool          // the coordinator ended it of itself
	at     Evidence      // END_TXN_ON_PARTITION or _SUBSCRIPTION of that
}

// open says whether nobody has ended it.
func (x *transaction) open() bool { return x.action == "" && !x.byTC }

// transactions follows the transactions of a run, for the rules about them. Its
// hooks may be nil.
type transactions struct {
	asked  map[askedTxn]int64 // ttl by NEW_TXN
	byID   map[session.TxnID]*transaction
	ofConn map[*session.Conn][]*transaction
	order  []session.TxnID
	forgot bool // some were let go

	ended func(x *transaction, e *session.Event) // the coordinator ended it of itself
	left  func(x *transaction, e *session.Event) // its connection ended, and it was open
}

type askedTxn struct {
	conn    int
	request uint64
}

// transactionsKept bounds the transactions that are remembered.
const transactionsKept = 100_000

// txnFrames and txnKinds are what transactions need to see.
var (
	txnFrames = []pb.BaseCommand_Type{pb.BaseCommand_NEW_TXN, pb.BaseCommand_NEW_TXN_RESPONSE, pb.BaseCommand_END_TXN,
		pb.BaseCommand_END_TXN_ON_PARTITION, pb.BaseCommand_END_TXN_ON_SUBSCRIPTION}
	txnKinds = []session.Kind{session.ConnectionEnd}
)

func newTransactions() *transactions {
	return &transactions{asked: map[askedTxn]int64{}, byID: map[session.TxnID]*transaction{}, ofConn: map[*session.Conn][]*transaction{}}
}

var txnSteps = map[pb.BaseCommand_Type]func(*transactions, *session.Event){
	pb.BaseCommand_NEW_TXN: (*transactions).ask, pb.BaseCommand_NEW_TXN_RESPONSE: (*transactions).begin, pb.BaseCommand_END_TXN: (*transactions).end,
	pb.BaseCommand_END_TXN_ON_PARTITION: (*transactions).coordinated, pb.BaseCommand_END_TXN_ON_SUBSCRIPTION: (*transactions).coordinated,
}

func (t *transactions) event(e *session.Event) {
	switch {
	case e.Kind == session.ConnectionEnd:
		t.connectionEnd(e)
	case e.Kind == session.FrameSeen:
		if step := txnSteps[pb.BaseCommand_Type(e.Frame.Type)]; step != nil {
			step(t, e)
		}
	}
}

func (t *transactions) ask(e *session.Event) {
	request, _ := e.Frame.Uint(field.CommandNewTxnRequestId)
	ttl, _ := e.Frame.Uint(field.CommandNewTxnTxnTtlMillis)
	if len(t.asked) < transactionsKept {
		t.asked[askedTxn{e.Conn.ID, request}] = int64(min(ttl, 1<<40)) * 1e6
	}
}

func (t *transactions) begin(e *session.Event) {
	request, _ := e.Frame.Uint(field.CommandNewTxnResponseRequestId)
	key := askedTxn{e.Conn.ID, request}
	id, ok := session.TxnNamed(e.Frame)
	if _, failed := e.Frame.Uint(field.CommandNewTxnResponseError); ok && !failed {
		t.keep(&transaction{id: id, conn: e.Conn, opened: here(e), ttl: t.asked[key]})
	}
	delete(t.asked, key)
}

func (t *transactions) keep(x *transaction) {
	t.byID[x.id] = x
	t.ofConn[x.conn] = append(t.ofConn[x.conn], x)
	t.order = append(t.order, x.id)
	if len(t.order) > transactionsKept {
		t.forgetOldest()
	}
}

func (t *transactions) forgetOldest() {
	if x := t.byID[t.order[0]]; x != nil {
		if list := t.ofConn[x.conn]; len(list) > 0 && list[0] == x {
			t.ofConn[x.conn] = list[1:]
		}
		delete(t.byID, x.id)
	}
	t.order, t.forgot = t.order[1:], true
}

func (t *transactions) end(e *session.Event) {
	id, _ := session.TxnNamed(e.Frame)
	if x := t.byID[id]; x != nil && x.action == "" {
		action, _ := e.Frame.Uint(field.CommandEndTxnTxnAction)
		x.action, x.ended = pb.TxnAction(action).String(), here(e)
	}
}

// coordinated takes what the coordinator tells the brokers of topics. Where the
// client has not ended the transaction, the coordinator did of itself.
func (t *transactions) coordinated(e *session.Event) {
	id, _ := session.TxnNamed(e.Frame)
	if x := t.byID[id]; x != nil && x.open() {
		x.byTC, x.at = true, here(e)
		if t.ended != nil {
			t.ended(x, e)
		}
	}
}

func (t *transactions) connectionEnd(e *session.Event) {
	for _, x := range t.ofConn[e.Conn] {
		if t.left != nil && x.open() {
			t.left(x, e)
		}
	}
	delete(t.ofConn, e.Conn)
}

// subject is the connection and the transaction.
func (x *transaction) subject() Subject {
	return Subject{Conn: x.conn.Name, ConnID: x.conn.ID, MessageID: "transaction " + x.id.String()}
}
