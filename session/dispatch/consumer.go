package dispatch

import (
	"cmp"
	"slices"

	"pulsar-dissect/proto/field"
	"pulsar-dissect/session"
)

// Span is a time from From to To, ns since the Unix epoch; To is 0 while it
// lasts.
type Span struct{ From, To int64 }

// Closer says who ended a consumer.
type Closer uint8

// Who ended it.
const (
	Nobody         Closer = iota
	ByClient              // CLOSE_CONSUMER or UNSUBSCRIBE of the client
	ByBroker              // CLOSE_CONSUMER of the broker
	ByConnection          // the connection was closed or reset
	ByResubscribed        // the same consumer id subscribed again
)

// String is a word for it.
func (c Closer) String() string {
	return [...]string{"", "client", "broker", "connection", "subscribed_again"}[c]
}

// Activity says whether a consumer of a Failover or Exclusive subscription is
// the one that gets messages.
type Activity uint8

// What ACTIVE_CONSUMER_CHANGE said.
const (
	NotSaid Activity = iota
	IsActive
	IsInactive
)

// Consumer is a consumer from its SUBSCRIBE to its end. Subscribing again makes
// another one.
type Consumer struct {
	Conn         *session.Conn
	ID           uint64 // consumer_id
	Topic        string // empty where its SUBSCRIBE was not captured
	Subscription string
	Name         string
	Type         string // of the subscription: Exclusive, Shared, Failover, Key_Shared
	Sub          *Subscription
	Known        bool // its SUBSCRIBE was captured
	Durable      bool
	OutOfOrder   bool // Key_Shared: it has allowed delivery out of order
	Subscribed   Ref
	Since        int64 // when it was accepted, or first seen

	FirstFlow int64 // permits of its first FLOW
	Flows     int
	Granted   int64
	Used      int64
	Entries   int // MESSAGEs
	Batches   int // of these, with more than one message

	Delivered   int64 // messages
	Acked       int64 // messages
	Redelivered int64 // of the delivered messages, those that the subscription had got before

	LastDelivery, LastAck, LastFlow Ref
	NoPermits                       Span // the latest time without permits
	Activity                        Activity
	ActivitySince                   int64

	TakenUpTo   int64 // permits used up to the latest entry that it acknowledged
	EntriesUpTo int   // entries up to that

	Closed   Ref
	ClosedBy Closer

	Notes []any // of those who watch

	of              *session.Consumer
	open            openList
	unackedAtLatest int64 // messages not acknowledged just after the latest delivery
	attached        bool
	refused         bool
	migrated        bool
}

// Outstanding is how many permits are left. It is below 0 where a batch went out
// whole.
func (c *Consumer) Outstanding() int64 { return c.Granted - c.Used }

// Unacked is how many messages were delivered and neither acknowledged nor given
// back.
func (c *Consumer) Unacked() int64 { return c.open.messages }

// UnackedEntries is how many entries these are in.
func (c *Consumer) UnackedEntries() int { return c.open.entries }

// OldestUnacked is the one that was delivered first, nil if there is none.
func (c *Consumer) OldestUnacked() *Entry { return c.open.oldest }

// subscribe begins a consumer.
func (t *Tracker) subscribe(e *session.Event) {
	x := e.Consumer
	if was := t.of(x); was != nil {
		t.end(was, refOf(e), ByResubscribed)
	}
	c := &Consumer{of: x, Conn: e.Conn, ID: x.ID, Topic: x.Topic, Subscription: x.Subscription, Name: x.Name, Type: x.Type,
		Known: true, Durable: true, Subscribed: refOf(e), Since: e.At.Time}
	if durable, ok := e.Frame.Uint(field.CommandSubscribeDurable); ok {
		c.Durable = durable != 0
	}
	if node, ok := e.Frame.Base.Sub(e.Frame.Sub, field.CommandSubscribeKeySharedMeta); ok {
		c.OutOfOrder, _ = e.Frame.Base.Bool(node, field.KeySharedMetaAllowOutOfOrderDelivery)
	}
	c.Sub = t.subscriptionOf(c)
	if compacted, _ := e.Frame.Uint(field.CommandSubscribeReadCompacted); compacted != 0 {
		c.Sub.compacted = true
	}
	t.settle(c)
	t.enlist(c)
}

// consumerOf finds the consumer of an event, or takes one for granted whose
// SUBSCRIBE was not captured.
func (t *Tracker) consumerOf(e *session.Event) *Consumer {
	c := t.Of(e)
	if c == nil {
		c = &Consumer{of: e.Consumer, Conn: e.Conn, ID: e.Consumer.ID, Topic: e.Consumer.Topic, Subscription: e.Consumer.Subscription, Name: e.Consumer.Name,
			Type: e.Consumer.Type, Durable: true, Since: e.At.Time}
		if c.Topic != "" {
			c.Sub = t.subscriptionOf(c)
		}
		t.enlist(c)
	}
	if !c.attached && !c.Closed.Known() {
		t.attach(c)
	}
	return c
}

// enlist makes a consumer that of its connection and of the session's.
func (t *Tracker) enlist(c *Consumer) {
	x := t.connection(c.Conn)
	if len(x.consumers) >= 2*len(c.Conn.Consumers)+64 {
		x.consumers = slices.DeleteFunc(x.consumers, t.isOver)
	}
	x.consumers = append(x.consumers, c)
	c.of.State = c
}

// isOver says whether a consumer has ended. One that the session has let go, for
// having too many, ends by that.
func (t *Tracker) isOver(c *Consumer) bool {
	if c.refused || c.Closed.Known() {
		return true
	}
	if c.Conn.Consumers[c.ID] == c.of {
		return false
	}
	t.letGo(c)
	return true
}

// letGo forgets a consumer. What it has is as good as never delivered.
func (t *Tracker) letGo(c *Consumer) {
	t.openAtEnd(c)
	for x := c.open.oldest; x != nil; x = c.open.oldest {
		c.Sub.release(x)
		x.State = Orphaned
	}
}

// Open gives the consumers that have not ended, by connection and id.
func (t *Tracker) Open() (open []*Consumer) {
	for _, x := range t.conns {
		for _, c := range x.consumers {
			if !c.refused && !c.Closed.Known() {
				open = append(open, c)
			}
		}
	}
	slices.SortFunc(open, func(a, b *Consumer) int {
		return cmp.Or(cmp.Compare(a.Conn.ID, b.Conn.ID), cmp.Compare(a.ID, b.ID))
	})
	return open
}

// permits takes a FLOW or a MESSAGE, once the session has counted it.
func (t *Tracker) permits(e *session.Event) {
	c := t.consumerOf(e)
	if !e.Permits.Flow {
		t.deliver(c, e)
		return
	}
	c.Granted += e.Permits.N
	if c.Flows == 0 {
		c.FirstFlow = e.Permits.N
	}
	c.Flows++
	c.LastFlow = refOf(e)
	if c.Sub != nil {
		c.Sub.acts = e.At.Time
	}
	if c.Outstanding() > 0 && c.NoPermits.From != 0 && c.NoPermits.To == 0 {
		c.NoPermits.To = e.At.Time
	}
}

func (t *Tracker) activeChange(e *session.Event) {
	c := t.Of(e)
	if c == nil {
		return
	}
	active, _ := e.Frame.Uint(field.CommandActiveConsumerChangeIsActive)
	c.Activity, c.ActivitySince = IsInactive, e.At.Time
	if active != 0 {
		c.Activity = IsActive
	}
	if c.Sub != nil {
		c.Sub.settled = e.At.Time
	}
}

func (t *Tracker) close(e *session.Event) {
	c := t.Of(e)
	if c == nil {
		return
	}
	by := ByBroker
	if clientFrame(e) {
		by = ByClient
	}
	t.end(c, refOf(e), by)
}

// end takes a consumer off its subscription. What it has not acknowledged will
// be delivered again.
func (t *Tracker) end(c *Consumer, at Ref, by Closer) {
	if c.Closed.Known() {
		return
	}
	v := t.Verdict(c)
	if c.Sub != nil && c.attached {
		t.endStall(c.Sub, Detached, at)
	}
	c.Closed, c.ClosedBy = at, by
	v.close(c)
	t.detach(c)
	if c.attached || c.Flows > 0 || !c.Known {
		t.tellEnded(c, &v)
	}
	c.attached = false
	c.giveUp(t, at)
}

// giveUp lets all go that the consumer has not acknowledged.
func (c *Consumer) giveUp(t *Tracker, at Ref) {
	for x := c.open.oldest; x != nil; x = c.open.oldest {
		c.Sub.release(x)
		x.State, x.End = Orphaned, at
		if !c.Sub.Sought.Known() || c.Sub.Sought.Packet < x.Last.Packet {
			t.owe(c.Sub, owed{Position: x.Position, since: at.Time, key: x.Key, again: true})
		}
	}
	if c.Sub != nil && !c.Durable && len(c.Sub.attached) == 0 {
		t.reset(c.Sub)
	}
}

// connectionEnd ends the consumers of a connection.
func (t *Tracker) connectionEnd(e *session.Event) {
	closed, x := closedConn(e.Conn), t.conns[e.Conn]
	if x == nil {
		return
	}
	slices.SortStableFunc(x.consumers, func(a, b *Consumer) int { return cmp.Compare(a.ID, b.ID) })
	for _, c := range x.consumers {
		c.of = nil
		switch {
		case c.refused || c.Closed.Known():
		case closed:
			t.end(c, closing(c), ByConnection)
		default:
			t.openAtEnd(c)
		}
	}
	delete(t.conns, e.Conn)
}

func closedConn(c *session.Conn) bool { return c.TCP.RSTFrom >= 0 || c.TCP.FINFrom >= 0 }

// closing is the packet that closed a consumer's connection.
func closing(c *Consumer) Ref {
	at := c.Conn.TCP.Closing
	return Ref{c.Conn, session.Ref{Type: -1, Packet: at.Packet, Time: at.Time}}
}

// reap ends consumers whose connection has been closed. The end of a connection
// itself comes later, when nothing more can come of it.
func (t *Tracker) reap(s *Subscription) {
	for i := len(s.attached) - 1; i >= 0; i-- {
		if c := s.attached[i]; closedConn(c.Conn) {
			t.end(c, closing(c), ByConnection)
		}
	}
}

// openAtEnd judges a consumer that was open to the end of the capture.
func (t *Tracker) openAtEnd(c *Consumer) {
	v := t.Verdict(c)
	if c.Sub != nil {
		t.endStall(c.Sub, RunEnd, Ref{})
	}
	t.tellEnded(c, &v)
	t.detach(c)
}

func (t *Tracker) tellEnded(c *Consumer, v *Verdict) {
	for _, f := range t.ended {
		f(c, v)
	}
}
