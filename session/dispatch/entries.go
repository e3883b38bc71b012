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

// Entry is an entry of a topic as a subscription has seen it.
type Entry struct {
	Position
	Sub        *Subscription
	Count      int32     // messages
	Left       int32     // of these, not acknowledged
	Deliveries int       // seen in the capture
	State      State     // of the last one
	Consumer   *Consumer // that got it last
	First      Ref       // its first delivery seen
	Last       Ref       // its last one
	End        Ref       // what ended the last one: ACK, REDELIVER_UNACKNOWLEDGED_MESSAGES, CLOSE_CONSUMER
	Timeout    bool      // Returned: it looks like an ack timeout rather than a negative acknowledgement
	InTxn      bool      // Acked: within a transaction
	Key        string    // Key_Shared: what its consumer is chosen by
	takenUpTo  int64     // permits that its consumer had used with it
	entriesTo  int       // entries that its consumer had got with it
	forgotten  bool
	older      *Entry // in the list of its consumer's open entries
	newer      *Entry
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

// remember finds the entry of a position, or makes one. Where there are too
// many, the one that was made first is forgotten.
func (t *Tracker) remember(s *Subscription, p Position) *Entry {
	if e := s.entries[p]; e != nil {
		return e
	}
	e := &Entry{Position: p, Sub: s}
	s.entries[p] = e
	t.kept = append(t.kept, e)
	if len(t.kept)-t.keptFrom > t.limits.Entries {
		t.forgetOldest()
	}
	return e
}

func (t *Tracker) forgetOldest() {
	e := t.kept[t.keptFrom]
	t.kept[t.keptFrom] = nil
	t.keptFrom++
	if t.keptFrom > t.limits.Entries {
		t.kept = append(t.kept[:0], t.kept[t.keptFrom:]...)
		t.keptFrom = 0
	}
	if !e.forgotten {
		t.counters.Entries++
		e.Sub.Forgotten++
		e.Sub.forget(e)
	}
}

// forget takes an entry out of all that leads to it.
func (s *Subscription) forget(e *Entry) {
	e.forgotten = true
	s.release(e)
	delete(s.entries, e.Position)
}

// Newer is the open entry that its consumer got next, nil if there is none.
func (e *Entry) Newer() *Entry { return e.newer }
