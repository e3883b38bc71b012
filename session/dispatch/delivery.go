package dispatch

import (
	"strings"
	"time"

	"pulsar-dissect/proto/field"
	"pulsar-dissect/session"
)

// Again says why an entry is delivered once more.
type Again uint8

// The causes of another delivery.
const (
	FirstTime      Again = iota
	AfterNack            // the consumer asked for it: a negative acknowledgement, or all that it has
	AfterTimeout         // the consumer asked for it in the way of an ack timeout
	AfterSeek            // the subscription was set back
	AfterPartial         // only some messages of its batch were acknowledged
	AfterClose           // the client closed the consumer that had it
	AfterUnload          // the broker closed the consumer that had it
	AfterTakeOver        // another consumer of a Failover or Exclusive subscription has taken over
	AfterAbort           // its acknowledgement was part of a transaction
	ConnectionLost       // the connection of its consumer ended, it was not acknowledged
	AckLost              // it was acknowledged, but the consumer ended thereafter
	AckedBefore          // it was acknowledged, and nothing explains it
	Unasked              // its consumer has it, and nothing explains it
)

// Delivery is a MESSAGE.
type Delivery struct {
	Consumer *Consumer
	Entry    *Entry
	Again    Again
	Before   Entry // what was known of the entry before; if it is not FirstTime
	Frame    Ref
	Messages int64 // permits used
	Count    uint32
	Holder   *Consumer // Key_Shared: another consumer with entries of the same key that are not acknowledged
	Held     int       // how many entries
}

// deliver takes a MESSAGE, once the session has counted it.
func (t *Tracker) deliver(c *Consumer, e *session.Event) {
	id, named := session.IDOf(e.Frame, field.CommandMessageMessageId)
	named = named && c.Sub != nil && c.Sub.Topic.stored
	key := ""
	if named {
		if c.Sub.Type == keyShared {
			key = keyOf(e.Frame)
		}
		t.moves(c.Sub, positionOf(id), key, refOf(e))
	}
	c.got(e)
	if named {
		t.dispatched(c, e, positionOf(id), key)
	}
}

// got counts a MESSAGE.
func (c *Consumer) got(e *session.Event) {
	c.Used += e.Permits.N
	c.Delivered += e.Permits.N
	c.Entries++
	if e.Frame.MessageCount() > 1 {
		c.Batches++
	}
	c.LastDelivery = refOf(e)
	if c.Known && c.Outstanding() <= 0 && (c.NoPermits.From == 0 || c.NoPermits.To != 0) {
		c.NoPermits = Span{From: e.At.Time}
	}
}

// dispatched takes the delivery of an entry.
func (t *Tracker) dispatched(c *Consumer, e *session.Event, p Position, key string) {
	s, d := c.Sub, &t.delivery
	d.begin(c, e)
	x := (*Entry)(nil)
	if s.highest.Compare(p) >= 0 {
		x = t.entries.find(s, p)
	}
	if x != nil {
		d.Before, d.Again = *x, s.why(x, c)
		s.handAgain(x, d)
	} else {
		x = t.remember(s, p)
	}
	if d.Again != FirstTime || d.Count > 0 {
		c.cameBefore(e.Permits.N)
	}
	if key != "" {
		d.Holder, d.Held = s.Holder(key, c)
	}
	d.Entry = x
	x.Deliveries++
	x.Last = d.Frame
	x.Count, x.Key = int32(max(e.Frame.MessageCount(), 1)), key
	x.Left = int32(e.Permits.N)
	x.takenUpTo, x.entriesTo = c.Used, c.Entries
	x.Consumer, x.State, x.InTxn, x.Timeout, x.End.Conn = c, Open, false, false, nil
	c.open.add(x)
	s.heads(c)
	s.hold(x)
	c.unackedAtLatest = c.open.messages
	for _, f := range t.delivered {
		f(d)
	}
}

// begin makes it that of a MESSAGE, of which nothing else is known yet.
func (d *Delivery) begin(c *Consumer, e *session.Event) {
	if d.Again != FirstTime {
		d.Before = Entry{}
	}
	redelivered, _ := e.Frame.Uint(field.CommandMessageRedeliveryCount)
	d.Consumer, d.Again, d.Frame, d.Messages, d.Count, d.Holder, d.Held = c, FirstTime, refOf(e), e.Permits.N, uint32(redelivered), nil, 0
}

// handAgain takes an entry off the consumer that had it.
func (s *Subscription) handAgain(x *Entry, d *Delivery) {
	s.release(x)
	switch {
	case d.Again == AfterSeek: // which begins anew
		x.Deliveries, x.first = 0, nil
	case x.first == nil:
		first := x.Last
		x.first = &first
	}
}

// moves: a delivery ends what stalled the subscription, and what it waits for is
// less.
func (t *Tracker) moves(s *Subscription, p Position, key string, at Ref) {
	front := s.owed.front()
	if s.Type != keyShared || front != nil && front.Position == p {
		t.endStall(s, Moved, at)
	}
	s.owed.take(p)
	s.owed.passOver(p, key, s.Type == keyShared)
	if !s.hasRead || s.read.Compare(p) < 0 {
		s.read, s.hasRead = p, true
	}
	s.progress = at
}

// why says why an entry comes again.
func (s *Subscription) why(was *Entry, c *Consumer) Again {
	switch {
	case s.Sought.Known() && s.Sought.Packet >= was.Last.Packet:
		return AfterSeek
	case was.State == Acked && was.InTxn:
		return AfterAbort
	case was.State == Acked && (was.Consumer.Closed.Known() || closedConn(was.Consumer.Conn)):
		return AckLost
	case was.State == Acked:
		return AckedBefore
	case was.Left < was.Count && was.State != Returned:
		return AfterPartial
	case was.State == Returned && was.Timeout:
		return AfterTimeout
	case was.State == Returned:
		return AfterNack
	case was.State == Orphaned:
		return afterEnd[was.Consumer.ClosedBy]
	case closedConn(was.Consumer.Conn): // the end of the connection is told later
		return ConnectionLost
	case was.Consumer != c && (s.Type == failover || s.Type == exclusive):
		return AfterTakeOver
	}
	return Unasked
}

var afterEnd = map[Closer]Again{
	ByClient: AfterClose, ByBroker: AfterUnload, ByConnection: ConnectionLost, ByResubscribed: AfterUnload,
}

// Return is a REDELIVER_UNACKNOWLEDGED_MESSAGES.
type Return struct {
	Consumer *Consumer
	Frame    Ref
	All      bool     // it names no ids
	Entries  int      // that were open and are given back
	Timeout  bool     // it looks like an ack timeout
	Age      int64    // ns since the delivery of the youngest of them
	Acked    []*Entry // that it names although they were acknowledged whole
}

// redeliver takes entries off a consumer that asks to have them again.
func (t *Tracker) redeliver(e *session.Event) {
	if e.Consumer == nil { // nothing of it was captured before
		return
	}
	c := t.consumerOf(e)
	if c.Sub == nil {
		return
	}
	r := Return{Consumer: c, Frame: refOf(e), All: true}
	back := t.back[:0]
	for id := range session.IDs(e.Frame, field.CommandRedeliverUnacknowledgedMessagesMessageIds) {
		r.All = false
		switch x := t.entries.find(c.Sub, positionOf(id)); {
		case x == nil:
		case x.State == Open && x.Consumer == c:
			back = append(back, x)
		case x.State == Acked:
			r.Acked = append(r.Acked, x)
		}
	}
	if r.All {
		for x := c.open.oldest; x != nil; x = x.newer {
			back = append(back, x)
		}
	}
	t.giveBack(&r, back)
	t.back = back[:0]
}

func (t *Tracker) giveBack(r *Return, back []*Entry) {
	s, at, youngest := r.Consumer.Sub, r.Frame.Time, int64(0)
	for _, x := range back {
		youngest = max(youngest, x.Last.Time)
		s.release(x)
		x.State, x.End = Returned, r.Frame
	}
	r.Entries, r.Age = len(back), at-youngest
	left := r.Consumer.open.oldest
	r.Timeout = len(back) > 0 && !r.All && (left == nil || left.Last.Time >= youngest) && likeTimeout(r.Consumer.Conn.ClientVersion, r.Age)
	for _, x := range back {
		x.Timeout = r.Timeout
		t.owe(s, owed{Position: x.Position, since: at, key: x.Key, again: true})
	}
	s.acts = at
	for _, f := range t.returned {
		f(r)
	}
}

// Nothing on the wire tells an ack timeout from a negative acknowledgement: both
// name ids. An ack timeout names all that is old enough, and never sooner than
// the least timeout that a client takes. Clients wait 60 s by default after a
// negative acknowledgement, some up to a third longer.
const (
	leastTimeout    = 1500 * time.Millisecond // 1 s, and the tick by which it is looked at
	leastTimeoutCPP = 10 * time.Second
	nackFrom        = 55 * time.Second
	nackTo          = 85 * time.Second
)

func likeTimeout(client string, age int64) bool {
	least := leastTimeout
	switch {
	case strings.HasPrefix(client, "Pulsar-Go"), strings.HasPrefix(client, "Pulsar Go"): // it has no ack timeout
		return false
	case strings.HasPrefix(client, "Pulsar-CPP"):
		least = leastTimeoutCPP
	}
	d := time.Duration(age)
	return d >= least && (d < nackFrom || d > nackTo)
}
