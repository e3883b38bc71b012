package dispatch

import (
	"math"
	"slices"

	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// The types of subscriptions as session has them.
const (
	exclusive = "Exclusive"
	failover  = "Failover"
	keyShared = "Key_Shared"
)

// Subscription is a subscription of a topic.
type Subscription struct {
	Topic     *Topic
	Name      string
	Type      string // of the consumer that came last
	Sought    Ref    // the last SEEK
	Forgotten int    // entries let go because of a limit
	Notes     []any  // of those who watch

	redelivered int64 // messages

	number    uint64 // in the run
	attached  []*Consumer
	first     *Entry // that was delivered, of those remembered
	last      *Entry
	highest   Position // of these
	keys      map[string][]holding
	owed      owedList
	read      Position // the highest that was delivered
	hasRead   bool
	compacted bool // some entries will not be delivered as stored

	progress Ref   // the last delivery
	settled  int64 // when consumers came, went or changed, or a stall was told
	acks     Ref   // the last ACK
	acts     int64 // when a consumer last did anything that lets a broker go on
	held     heldKey
	listed   bool  // it is among those that wait
	reaping  bool  // consumers of closed connections are being taken off
	openFrom int64 // none of OldestOpen was delivered first before this, ns since the Unix epoch
}

// OldestOpen is the entry that was delivered first of those that its consumers
// have had longest; nil if they have none.
func (s *Subscription) OldestOpen() (oldest *Entry) {
	s.openFrom = math.MaxInt64
	for _, c := range s.attached {
		if e := c.open.oldest; e != nil && (oldest == nil || e.First().Time < oldest.First().Time) {
			oldest = e
			s.openFrom = e.First().Time
		}
	}
	return oldest
}

// AllOpenAfter says whether OldestOpen is nil or was delivered after a time, ns
// since the Unix epoch. It costs no search; false says nothing.
func (s *Subscription) AllOpenAfter(time int64) bool { return s.openFrom > time }

// heads takes note of what a consumer now has longest.
func (s *Subscription) heads(c *Consumer) {
	if e := c.open.oldest; e != nil {
		s.openFrom = min(s.openFrom, e.First().Time)
	}
}

// Attached are the consumers that it has at the moment.
func (s *Subscription) Attached() []*Consumer { return s.attached }

// Owed is how many entries it is known to wait for.
func (s *Subscription) Owed() int { return s.owed.len() }

// Delivered gives what is known of an entry, nil if it was not delivered.
func (t *Tracker) Delivered(s *Subscription, p Position) *Entry { return t.entries.find(s, p) }

// AppendEntries appends all that are remembered, in the order of the topic.
func (s *Subscription) AppendEntries(to []*Entry) []*Entry {
	from, sorted := len(to), true
	for e := s.first; e != nil; e = e.next {
		sorted = sorted && (len(to) == from || to[len(to)-1].Compare(e.Position) < 0)
		to = append(to, e)
	}
	if !sorted {
		slices.SortFunc(to[from:], func(a, b *Entry) int { return a.Compare(b.Position) })
	}
	return to
}

// subscriptionsKept bounds subscriptions: above it the oldest that has no
// consumer is let go.
const subscriptionsKept = 100_000

// subscriptionOf finds or makes the subscription of a consumer.
func (t *Tracker) subscriptionOf(c *Consumer) *Subscription {
	topic := t.topicOf(c)
	s := topic.subs[c.Subscription]
	if s == nil {
		t.subsMade++
		s = &Subscription{Topic: topic, Name: c.Subscription, number: t.subsMade, openFrom: math.MaxInt64, owed: owedList{inAll: &t.owedInAll}}
		topic.subs[c.Subscription] = s
		t.subs = append(t.subs, s)
		t.boundSubscriptions()
	}
	s.Type = c.Type
	topic.keyed = topic.keyed || s.Type == keyShared
	return s
}

func (t *Tracker) boundSubscriptions() {
	if len(t.subs) <= subscriptionsKept {
		return
	}
	for i, s := range t.subs {
		if len(s.attached) == 0 {
			t.drop(s)
			t.subs = slices.Delete(t.subs, i, i+1)
			return
		}
	}
}

// drop takes a subscription off its topic, and the topic with its last one.
func (t *Tracker) drop(s *Subscription) {
	t.reset(s)
	delete(s.Topic.subs, s.Name)
	if len(s.Topic.subs) == 0 {
		for _, k := range s.Topic.keys {
			delete(t.topics, k)
		}
		t.topicsRound++
	}
}

// reset forgets all that was delivered or is owed: the subscription has gone,
// or stands elsewhere in the topic.
func (t *Tracker) reset(s *Subscription) {
	for e := s.first; e != nil; e = e.next {
		t.forget(e)
	}
	s.first, s.last, s.highest, s.keys = nil, nil, Position{}, nil
	s.owed.clear()
	s.hasRead = false
}

func (t *Tracker) attach(c *Consumer) {
	c.attached = true
	c.Since = max(c.Since, t.now)
	if c.Known {
		c.NoPermits = Span{From: t.now}
	}
	if c.Sub == nil {
		return
	}
	t.anyGone(c.Sub)
	t.endStall(c.Sub, Attached, Ref{})
	c.Sub.attached = append(c.Sub.attached, c)
	c.Sub.heads(c)
	c.Sub.settled, c.Sub.acts = t.now, t.now
}

func (t *Tracker) detach(c *Consumer) {
	if c.Sub == nil {
		return
	}
	if i := slices.Index(c.Sub.attached, c); i >= 0 {
		c.Sub.attached = slices.Delete(c.Sub.attached, i, i+1)
		c.Sub.settled, c.Sub.acts = t.now, t.now
		if len(c.Sub.attached) == 0 {
			c.Sub.owed.straight.clip()
			t.abandoned = true
		}
	}
}

// release takes an entry off the consumer that has it.
func (s *Subscription) release(e *Entry) {
	if e.State == Open && e.Consumer != nil {
		e.Consumer.open.remove(e)
		s.heads(e.Consumer)
		s.unhold(e)
		e.State = Acked // until the caller says better
	}
}

// ack notes an ACK. What it acknowledges comes as exchanges.
func (t *Tracker) ack(e *session.Event) {
	c := t.consumerOf(e)
	_, t.ackInTxn = session.TxnNamed(e.Frame)
	t.ackRef = refOf(e)
	c.LastAck = t.ackRef
	if c.Sub == nil {
		return
	}
	t.noteHeld(c.Sub)
	c.Sub.acks, c.Sub.acts = t.ackRef, e.At.Time
	kind, _ := e.Frame.Uint(field.CommandAckAckType)
	if kind == uint64(pb.CommandAck_Cumulative) {
		t.passUpTo(c.Sub, e)
	}
}

// passUpTo: what lies below the position of a cumulative ACK is not delivered
// again.
func (t *Tracker) passUpTo(s *Subscription, e *session.Event) {
	for id := range session.IDs(e.Frame, field.CommandAckMessageId) {
		for x := s.owed.front(); x != nil && x.Compare(positionOf(id)) <= 0; x = s.owed.front() {
			s.owed.take(x.Position)
		}
	}
}

// acknowledged takes an exchange of an ACK.
func (t *Tracker) acknowledged(e *session.Event) {
	x, c := e.Exchange, t.Of(e)
	if c == nil || c.Sub == nil || x.Result == session.Repeat {
		return
	}
	c.Acked += int64(x.Messages)
	if x.Cumulative {
		for i := range x.Covers {
			cover := &x.Covers[i]
			p := positionOf(cover.ID)
			before := t.entryOf(c, p)
			partly := p == positionOf(x.ID) && before != nil && before.Left > int32(cover.Messages)
			t.ackEntry(c, p, int32(cover.Messages), partly)
		}
		return
	}
	t.ackEntry(c, positionOf(x.ID), int32(x.Messages), x.Left > 0)
}

// entryOf finds an entry that a consumer acknowledges, often the oldest that it
// has.
func (t *Tracker) entryOf(c *Consumer, p Position) *Entry {
	if e := c.open.oldest; e != nil && e.Position == p {
		return e
	}
	return t.entries.find(c.Sub, p)
}

// ackEntry takes messages of an entry as acknowledged, or all of it.
func (t *Tracker) ackEntry(c *Consumer, p Position, messages int32, partly bool) {
	e := t.entryOf(c, p)
	if e == nil {
		return
	}
	if e.Consumer == c {
		c.took(e, partly)
	}
	if partly {
		if e.State == Open && e.Consumer == c {
			c.open.messages -= int64(messages)
		}
		e.Left -= messages
		return
	}
	c.Sub.owed.take(p)
	c.Sub.release(e)
	e.State, e.End, e.Left, e.InTxn = Acked, t.ackRef, 0, t.ackInTxn
	for _, f := range t.acked {
		f(c, e)
	}
}

// took: an application that acknowledges an entry has taken it out of the
// client's queue, and what came before it.
func (c *Consumer) took(e *Entry, partly bool) {
	upTo, entries := e.takenUpTo, e.entriesTo
	if partly {
		upTo, entries = upTo-int64(e.Count), entries-1
	}
	c.TakenUpTo, c.EntriesUpTo = max(c.TakenUpTo, upTo), max(c.EntriesUpTo, entries)
}

// seek: the subscription stands elsewhere from now on.
func (t *Tracker) seek(e *session.Event) {
	if c := t.Of(e); c != nil && c.Sub != nil {
		c.Sub.Sought = refOf(e)
		c.Sub.owed.clear()
		c.Sub.hasRead = false
		c.Sub.settled = e.At.Time
	}
}

// Attached gives the consumers of the subscription that a session's consumer
// names, at the broker of its connection.
func (t *Tracker) Attached(conn *session.Conn, c *session.Consumer) []*Consumer {
	if topic := t.topics[topicKey{c.Topic, t.connection(conn).server}]; topic != nil {
		if s := topic.subs[c.Subscription]; s != nil {
			return s.attached
		}
	}
	return nil
}
