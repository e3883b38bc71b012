package dispatch

// State says what has become of a delivery.
type State uint8

// The states of a delivery.
const (
	Open     State = iota // with its consumer, not acknowledged
	Acked                 // acknowledged whole
	Returned              // the consumer asked to have it again
	Orphaned              // its consumer has gone without acknowledging it
)

// Entry is an entry of a topic as a subscription has seen it. It is kept until
// it is one of too many, and its place is then used for another one.
type Entry struct {
	Position
	Sub        *Subscription
	Count      int32     // messages
	Left       int32     // of these, not acknowledged
	Deliveries int32     // seen in the capture
	State      State     // of the last one
	Timeout    bool      // Returned: it looks like an ack timeout rather than a negative acknowledgement
	InTxn      bool      // Acked: within a transaction
	Consumer   *Consumer // that got it last
	Last       Ref       // its last delivery
	End        Ref       // what ended that: ACK, REDELIVER_UNACKNOWLEDGED_MESSAGES, CLOSE_CONSUMER
	Key        string    // Key_Shared: what its consumer is chosen by
	first      *Ref      // its first delivery seen; nil where that is the last
	takenUpTo  int64     // permits that its consumer had used with it
	entriesTo  int       // entries that its consumer had got with it
	forgotten  bool
	place      uint32 // in the store
	older      *Entry // in the list of its consumer's open entries
	newer      *Entry
	next       *Entry // that its subscription got
}

// First is the first delivery of the entry that was seen.
func (e *Entry) First() *Ref {
	if e.first != nil {
		return e.first
	}
	return &e.Last
}

// openList has the open entries of a consumer in the order of their delivery.
type openList struct {
	oldest, newest *Entry
	entries        int
	messages       int64
}

func (l *openList) add(e *Entry) {
	e.older, e.newer = l.newest, nil
	if l.newest != nil {
		l.newest.newer = e
	} else {
		l.oldest = e
	}
	l.newest = e
	l.entries++
	l.messages += int64(e.Left)
}

func (l *openList) remove(e *Entry) {
	if e.older != nil {
		e.older.newer = e.newer
	} else {
		l.oldest = e.newer
	}
	if e.newer != nil {
		e.newer.older = e.older
	} else {
		l.newest = e.older
	}
	e.older, e.newer = nil, nil
	l.entries--
	l.messages -= int64(e.Left)
}

// enlist puts an entry behind those that the subscription has got.
func (s *Subscription) enlist(e *Entry) {
	if s.first == nil {
		s.first = e
	} else {
		s.last.next = e
	}
	s.last = e
	if s.highest.Compare(e.Position) < 0 {
		s.highest = e.Position
	}
}

// Newer is the open entry that its consumer got next, nil if there is none.
func (e *Entry) Newer() *Entry { return e.newer }
