package dispatch

import (
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// Watcher is told what a Tracker finds. What it gets is valid until it returns;
// entities may be kept. Fields may be nil.
type Watcher struct {
	Delivered func(*Delivery)           // a MESSAGE, on a topic that is stored
	Stalled   func(*Stall)              // is over, or the run is
	Stalling  func(*Stall)              // goes on: every second of packet time, and at Idle
	Returned  func(*Return)             // a consumer asks for redelivery
	Acked     func(*Consumer, *Entry)   // an entry was acknowledged whole
	Ended     func(*Consumer, *Verdict) // a consumer has ended, or the run has
}

// Tracker follows deliveries over all connections. It is used for one run.
type Tracker struct {
	limits   Limits
	counters Counters
	watchers // in the order in which they were added
	Clock
	standings
	setsBack int

	topics      map[topicKey]*Topic
	topicsRound uint64          // grows with each change of topics
	subs        []*Subscription // oldest first
	subsMade    uint64
	conns       map[*session.Conn]*connection
	homes       map[homeKey]*Consumer
	sends       int                        // SENDs that are noted
	owedInAll   int                        // entries that subscriptions wait for
	abandoned   bool                       // some of them may be those of subscriptions without a consumer
	txns        map[session.TxnID][]*Topic // with entries of a transaction that is open
	entries     entryStore

	delivery Delivery // at hand
	back     []*Entry // of the redelivery asked for at hand
	ackInTxn bool     // of the ACK at hand
	ackRef   Ref
}

// connection is what is followed of a connection until its end.
type connection struct {
	server    string // address of the broker, or proxy
	consumers []*Consumer
}

// New makes a tracker.
func New(l Limits) *Tracker {
	return &Tracker{
		limits: l.withDefaults(), topics: map[topicKey]*Topic{}, homes: map[homeKey]*Consumer{}, conns: map[*session.Conn]*connection{},
		txns: map[session.TxnID][]*Topic{}, entries: newEntryStore(),
	}
}

// watchers are the hooks of all watchers that have them.
type watchers struct {
	delivered []func(*Delivery)
	stalled   []func(*Stall)
	stalling  []func(*Stall)
	returned  []func(*Return)
	acked     []func(*Consumer, *Entry)
	ended     []func(*Consumer, *Verdict)
}

// Watch adds a watcher.
func (t *Tracker) Watch(w Watcher) {
	t.delivered = addHook(t.delivered, w.Delivered, w.Delivered != nil)
	t.stalled = addHook(t.stalled, w.Stalled, w.Stalled != nil)
	t.stalling = addHook(t.stalling, w.Stalling, w.Stalling != nil)
	t.returned = addHook(t.returned, w.Returned, w.Returned != nil)
	t.acked = addHook(t.acked, w.Acked, w.Acked != nil)
	t.ended = addHook(t.ended, w.Ended, w.Ended != nil)
}

func addHook[F any](to []F, hook F, there bool) []F {
	if there {
		to = append(to, hook)
	}
	return to
}

// Counters says how often limits were hit.
func (t *Tracker) Counters() Counters { return t.counters }

// Of gives the consumer of an event; nil where it is about none, or about one
// that was refused.
func (t *Tracker) Of(e *session.Event) *Consumer { return t.of(e.Consumer) }

func (t *Tracker) of(x *session.Consumer) *Consumer {
	if x == nil {
		return nil
	}
	c, _ := x.State.(*Consumer)
	return c
}

// connection gives what is followed of a connection.
func (t *Tracker) connection(c *session.Conn) *connection {
	x := t.conns[c]
	if x == nil {
		x = &connection{}
		_, x.server, _ = strings.Cut(c.Name, "-")
		t.conns[c] = x
	}
	return x
}

// handlers are the commands that matter here.
var handlers = [...]func(*Tracker, *session.Event){
	pb.BaseCommand_SUBSCRIBE:                         (*Tracker).subscribe,
	pb.BaseCommand_CLOSE_CONSUMER:                    (*Tracker).close,
	pb.BaseCommand_SEND:                              (*Tracker).send,
	pb.BaseCommand_ACK:                               (*Tracker).ack,
	pb.BaseCommand_REDELIVER_UNACKNOWLEDGED_MESSAGES: (*Tracker).redeliver,
	pb.BaseCommand_SEEK:                              (*Tracker).seek,
	pb.BaseCommand_ACTIVE_CONSUMER_CHANGE:            (*Tracker).activeChange,
	pb.BaseCommand_TOPIC_MIGRATED:                    (*Tracker).migrated,
	pb.BaseCommand_END_TXN:                           (*Tracker).endTxn,
	pb.BaseCommand_END_TXN_ON_PARTITION:              (*Tracker).endTxn,
}

// Add looks at an event.
func (t *Tracker) Add(e *session.Event) {
	if t.See(e) {
		t.setBack()
	}
	switch e.Kind {
	case session.FrameSeen:
		if n := int(e.Frame.Type); n >= 0 && n < len(handlers) && handlers[n] != nil && e.Frame.Command != nil {
			handlers[n](t, e)
		}
	case session.PermitsChanged:
		t.permits(e)
	case session.ExchangeSeen:
		t.exchange(e)
	case session.ConnectionEnd:
		t.connectionEnd(e)
	}
	t.standing()
}

// Finish ends the run: consumers that are still open are judged. Connections
// that were open have ended before.
func (t *Tracker) Finish() {
	for _, s := range t.subs {
		t.endStall(s, RunEnd, Ref{})
	}
}

func (t *Tracker) exchange(e *session.Event) {
	x := e.Exchange
	switch {
	case x.Kind == session.Ack && x.HasResponse:
		t.acknowledged(e)
	case x.Kind == session.Send:
		t.sendEnds(e)
	case x.Kind == session.Request && x.HasRequest && e.Consumer != nil:
		t.answered(e)
	}
}

// answered takes the answer to a request about a consumer.
func (t *Tracker) answered(e *session.Event) {
	x, c := e.Exchange, t.Of(e)
	if c == nil || !x.HasResponse {
		return
	}
	switch pb.BaseCommand_Type(x.Request.Type) {
	case pb.BaseCommand_SUBSCRIBE:
		if x.Request.Offset != c.Subscribed.Offset {
			return
		}
		if x.Result == session.OK {
			t.attach(c)
		} else if !c.attached {
			c.refused, e.Consumer.State = true, nil
		}
	case pb.BaseCommand_UNSUBSCRIBE:
		if x.Result == session.OK {
			t.end(c, Ref{e.Conn, x.Response}, ByClient)
			if c.Sub != nil { // nil where its SUBSCRIBE was not captured
				t.reset(c.Sub)
			}
		}
	}
}

func clientFrame(e *session.Event) bool { return e.Direction == decode.ClientToServer }
