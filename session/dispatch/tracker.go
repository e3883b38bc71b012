package dispatch

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// Watcher is told what a Tracker finds. What it gets is valid until it returns;
// entities may be kept. Fields may be nil.
type Watcher struct {
	Delivered func(*Delivery)           // a MESSAGE, on a topic that is stored
	Stalled   func(*Stall)              // is over, or the run is
	Returned  func(*Return)             // a consumer asks for redelivery
	Acked     func(*Consumer, *Entry)   // an entry was acknowledged whole
	Ended     func(*Consumer, *Verdict) // a consumer has ended, or the run has
}

// Tracker follows deliveries over all connections. It is used for one run.
type Tracker struct {
	limits   Limits
	counters Counters
	watchers []Watcher
	now      int64 // ns since the Unix epoch, of the latest event

	topics    map[topicKey]*Topic
	subs      []*Subscription // oldest first
	consumers map[*session.Consumer]*Consumer
	homes     map[homeKey]*Consumer
	servers   map[*session.Conn]string
	sends     map[sendKey]sendNote
	txns      map[session.TxnID][]*Topic // with entries of a transaction that is open

	kept     []*Entry // oldest first
	keptFrom int

	ackInTxn bool // of the ACK at hand
	ackRef   Ref
}

// New makes a tracker.
func New(l Limits) *Tracker {
	return &Tracker{
		limits: l.withDefaults(), topics: map[topicKey]*Topic{}, consumers: map[*session.Consumer]*Consumer{}, homes: map[homeKey]*Consumer{},
		servers: map[*session.Conn]string{}, sends: map[sendKey]sendNote{}, txns: map[session.TxnID][]*Topic{},
	}
}

// Watch adds a watcher.
func (t *Tracker) Watch(w Watcher) { t.watchers = append(t.watchers, w) }

// Counters says how often limits were hit.
func (t *Tracker) Counters() Counters { return t.counters }

// Now is the time of the latest event, ns since the Unix epoch.
func (t *Tracker) Now() int64 { return t.now }

// Of gives the consumer of an event; nil where it is about none, or about one
// that was refused.
func (t *Tracker) Of(e *session.Event) *Consumer { return t.consumers[e.Consumer] }

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
	t.now = max(t.now, e.At.Time)
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
	x, c := e.Exchange, t.consumers[e.Consumer]
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
			delete(t.consumers, e.Consumer)
		}
	case pb.BaseCommand_UNSUBSCRIBE:
		if x.Result == session.OK {
			t.end(c, Ref{e.Conn, x.Response}, ByClient)
			if c.Sub != nil { // nil where its SUBSCRIBE was not captured
				c.Sub.reset()
			}
		}
	}
}

func clientFrame(e *session.Event) bool { return e.Direction == decode.ClientToServer }
