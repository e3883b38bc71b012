package session

import "pulsar-dissect/decode"

// TxnState says how far a transaction has come.
type TxnState uint8

// The states.
const (
	TxnUnknown    TxnState = iota // it was named, neither its opening nor its end was captured
	TxnOpen                       // messages and acknowledgements can be made in it
	TxnCommitting                 // its commit was asked for and not answered
	TxnCommitted
	TxnAborting // its abort was asked for and not answered
	TxnAborted
	TxnFailed // its end was refused: the coordinator had ended it before, does not know it, or could not
)

// String is the name that the JSON output uses.
func (s TxnState) String() string {
	return [...]string{"unknown", "open", "committing", "committed", "aborting", "aborted", "failed"}[s]
}

// TxnEnder says who ends a transaction.
type TxnEnder uint8

// Those who may.
const (
	EndedByNobody TxnEnder = iota // that was seen
	EndedByClient
	EndedByCoordinator // of itself: the time to live was over, or an administrator asked for it
)

// String is the name that the JSON output uses, empty for nobody.
func (e TxnEnder) String() string { return [...]string{"", "client", "coordinator"}[e] }

// Transaction is what a capture tells of a transaction: of the conversation of
// its client with the coordinator and the brokers of topics, and of what the
// coordinator tells these.
type Transaction struct {
	ID       TxnID
	State    TxnState
	Since    int64           // ns, of State
	Conn     *Conn           // to the coordinator; where that was not seen, the first that named it
	First    decode.Position // of its opening, or of the first frame that names it
	Last     decode.Position // of the latest frame about it
	Opened   bool            // its opening was captured
	TTL      int64           // ns to live that the client asked for, 0: not known
	Ending   decode.Position // the client asked for its end; Packet 0: not seen
	EndedBy  TxnEnder
	Ended    bool   // nothing more will come of it
	Why      string // not Ended: conn_closed, capture_end, limit
	Messages int64  // sent in it and not refused
	Acks     int64  // ids acknowledged in it and not refused; a cumulative one is one
	Conns    []int  // numbers of the connections that took part, in the order seen
	Parts    []*TxnPart
	Markers  []TxnMarker
	Refusals []TxnRefusal // the first ones
	Refused  uint64       // all of them

	cost    int   // bytes
	counted int   // of these, in the sum that the limit holds for
	latest  *Conn // that named it
}

// TxnPart is a topic that a transaction writes to, or a subscription that it
// acknowledges in.
type TxnPart struct {
	Topic           string
	Subscription    string // empty: the topic
	IsSubscription  bool
	Added           bool   // the coordinator agreed to it
	Messages        int64  // as in Transaction
	Acks            int64  // as in Transaction
	End             string // the name of the action that the coordinator told it; empty: none was seen
	Ended           bool   // it has agreed to that
	EndingAt, EndAt int64  // ns
}

// TxnMarker is a marker that a broker wrote into a topic for a transaction.
type TxnMarker struct {
	Name  string // of the marker_type
	Topic string // empty where not known
	ID    MessageID
	HasID bool // else it was sent and has none yet
	Conn  int
	At    decode.Position
}

// TxnRefusal is a request in a transaction that was refused.
type TxnRefusal struct {
	Request int32  // type
	Error   string // name of the code
	Text    string // that came with it
	At      decode.Position
}

// Bounds of what is kept of one transaction.
const (
	maxTxnParts    = 1_000
	maxTxnMarkers  = 1_000
	maxTxnRefusals = 10
	maxTxnConns    = 100
)

// Bytes that a transaction and its parts are counted with, beside names.
const (
	txnCost     = 512
	txnPartCost = 160
)

// become takes a state, unless it is that already.
func (t *Transaction) become(s TxnState, at *decode.Position) {
	if t.State != s {
		t.State, t.Since = s, at.Time
	}
}

// part gives a topic or a subscription of the transaction; nil where it has too
// many, or the topic is not known.
func (t *Transaction) part(topic, subscription string, isSubscription bool) *TxnPart {
	for _, p := range t.Parts {
		if p.Topic == topic && p.Subscription == subscription && p.IsSubscription == isSubscription {
			return p
		}
	}
	if topic == "" || len(t.Parts) >= maxTxnParts {
		return nil
	}
	p := &TxnPart{Topic: topic, Subscription: subscription, IsSubscription: isSubscription}
	t.Parts = append(t.Parts, p)
	t.cost += txnPartCost + len(topic) + len(subscription)
	return p
}

// allEnded says whether all parts, and at least one, have agreed to the end.
func (t *Transaction) allEnded() bool {
	for _, p := range t.Parts {
		if !p.Ended && (p.Added || p.End != "") {
			return false
		}
	}
	return len(t.Parts) > 0
}

// txnOutcomes are the states that asking for an end leads to, and agreeing to
// it: by whether it is a commit.
var txnOutcomes = map[bool]struct{ asked, done TxnState }{
	true:  {TxnCommitting, TxnCommitted},
	false: {TxnAborting, TxnAborted},
}

// settle takes the state that the parts and markers tell, where the answer to
// the client was not captured.
func (t *Transaction) settle() {
	if t.State != TxnCommitting && t.State != TxnAborting || !t.allEnded() && (len(t.Parts) > 0 || len(t.Markers) == 0) {
		return
	}
	t.become(txnOutcomes[t.State == TxnCommitting].done, &t.Last)
	t.Ended = true
}

// OpenFor is how long it was open, in ns: from its opening until its end was
// asked for. There is none where either was not captured.
func (t *Transaction) OpenFor() (ns int64, ok bool) {
	if !t.Opened {
		return 0, false
	}
	switch {
	case t.Ending.Packet > 0:
		return t.Ending.Time - t.First.Time, true
	case t.EndedBy == EndedByCoordinator:
		return t.firstEnding() - t.First.Time, true
	}
	return 0, false
}

// EndingFor is how long its end took, in ns: from when it was asked for until
// it was answered.
func (t *Transaction) EndingFor() (ns int64, ok bool) {
	switch {
	case !t.Ended || t.EndedBy == EndedByNobody:
		return 0, false
	case t.Ending.Packet > 0:
		return t.Last.Time - t.Ending.Time, true
	}
	return t.Last.Time - t.firstEnding(), true
}

// firstEnding is when the coordinator first told a part of the end, ns.
func (t *Transaction) firstEnding() int64 {
	first := t.Last.Time
	for _, p := range t.Parts {
		if p.End != "" {
			first = min(first, p.EndingAt)
		}
	}
	return first
}
