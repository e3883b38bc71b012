package stats

import (
	"cmp"
	"maps"
	"slices"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/session"
)

// Topics keeps what a broker would tell of its topics: who publishes, who
// consumes, how much. It counts what the capture has, from its start. It is not
// safe for concurrent use.
type Topics struct {
	First, Last int64  // time of the first and the last event that counted, ns since the Unix epoch
	Overflown   uint64 // how often something was not counted since there was too much

	limit  int
	topics map[string]*Topic
	owners map[owner]*end
	known  int // topics and subscriptions
}

// Topic is a topic at the end of the count.
type Topic struct {
	Name          string
	In            Meter
	Out           Meter
	subscriptions map[string]*Subscription
	publishers    map[owner]*Publisher
}

// Subscription is a subscription of a topic.
type Subscription struct {
	Name string
	Type string // as its last SUBSCRIBE said
	Delivery
	consumers map[owner]*Consumer
}

// Delivery counts what subscriptions and consumers get.
type Delivery struct {
	Out         Meter
	Redelivered Meter
	Acked       Meter
	Unacked     int64 // messages that were delivered and not acknowledged
}

// Party is what publishers and consumers have in common.
type Party struct {
	ID      uint64
	Name    string
	Address string // of the client
	Client  string // version that it states
	Since   int64  // when it was opened, or seen first; ns since the Unix epoch
}

// Publisher is a producer that is open.
type Publisher struct {
	Party
	In Meter
}

// Consumer is a consumer that is open.
type Consumer struct {
	Party
	Delivery
	Permits int64
}

// owner names a producer or consumer: its connection and its id.
type owner struct {
	conn     int
	id       uint64
	consumes bool
}

// end is where a producer or consumer counts.
type end struct {
	topic        *Topic
	publisher    *Publisher
	subscription *Subscription
	consumer     *Consumer
}

// NewTopics makes an empty count.
func NewTopics(l Limits) *Topics {
	return &Topics{limit: l.withDefaults().Entities, topics: map[string]*Topic{}, owners: map[owner]*end{}}
}

// takers are what each kind of event counts.
var takers = map[session.Kind]func(*Topics, *session.Event){
	session.FrameSeen:      (*Topics).frame,
	session.PermitsChanged: (*Topics).permits,
	session.ExchangeSeen:   (*Topics).exchange,
	session.ConnectionEnd:  (*Topics).gone,
}

// Add counts an event.
func (t *Topics) Add(e *session.Event) {
	take := takers[e.Kind]
	if take == nil {
		return
	}
	if e.Kind != session.ConnectionEnd {
		if t.First == 0 {
			t.First = e.At.Time
		}
		t.Last = max(t.Last, e.At.Time)
	}
	take(t, e)
}

// frame counts what was sent and delivered.
func (t *Topics) frame(e *session.Event) {
	x := t.endOf(e)
	if x == nil {
		return
	}
	messages, bytes := uint64(max(e.Frame.MessageCount(), 0)), stored(e.Frame)
	switch at := e.At.Time; {
	case e.Frame.Is(send):
		x.publisher.In.add(at, messages, bytes)
		x.topic.In.add(at, messages, bytes)
	case e.Frame.Is(message):
		x.consumer.Out.add(at, messages, bytes)
		x.subscription.Out.add(at, messages, bytes)
		x.topic.Out.add(at, messages, bytes)
		if n, _ := e.Frame.Uint(field.CommandMessageRedeliveryCount); n > 0 {
			x.consumer.Redelivered.add(at, messages, bytes)
			x.subscription.Redelivered.add(at, messages, bytes)
		}
	}
}

// stored is how many bytes of a payload frame a broker counts: all that follows
// the command, with checksum and metadata.
func stored(f *decode.Frame) uint64 {
	const sizes = 8 // the two ahead of the command
	return uint64(max(f.Size-sizes-int64(len(f.Base.Data)), 0))
}

// permits takes what a delivery used: as many messages wait for their
// acknowledgement.
func (t *Topics) permits(e *session.Event) {
	if x := t.endOf(e); x != nil && x.consumer != nil {
		x.consumer.Permits = e.Permits.Outstanding
		if !e.Permits.Flow {
			x.wait(e.Permits.N)
		}
	}
}

func (x *end) wait(messages int64) {
	x.consumer.Unacked += messages
	x.subscription.Unacked += messages
}

// exchange takes acknowledgements, and whether a producer or consumer is open
// once its request is answered.
func (t *Topics) exchange(e *session.Event) {
	x := e.Exchange
	if x.Kind == session.Request {
		t.answered(e)
	}
	if x.Kind != session.Ack {
		return
	}
	to := t.endOf(e)
	if to == nil || to.consumer == nil {
		return
	}
	switch x.Result {
	case session.OK:
		to.wait(-int64(x.Messages))
		to.consumer.Acked.add(e.At.Time, uint64(x.Messages), 0)
		to.subscription.Acked.add(e.At.Time, uint64(x.Messages), 0)
	case session.Redelivered:
		to.wait(-int64(x.Left))
	}
}

// answered takes the answer to a request about a producer or consumer.
func (t *Topics) answered(e *session.Event) {
	x := t.endOf(e)
	if x == nil || !e.Exchange.HasRequest {
		return
	}
	opens := e.Exchange.Request.Type == producer || e.Exchange.Request.Type == subscribe
	switch r := e.Exchange.Result; {
	case opens && r == session.Failed:
		t.drop(ownerOf(e), x)
	case e.Exchange.Request.Type == unsubscribe && r == session.OK:
		t.drop(ownerOf(e), x)
		delete(x.topic.subscriptions, x.subscription.Name)
	}
}

// ownerOf names the producer or consumer that an event is about.
func ownerOf(e *session.Event) owner {
	if e.Producer != nil {
		return owner{conn: e.Conn.ID, id: e.Producer.ID}
	}
	return owner{conn: e.Conn.ID, id: e.Consumer.ID, consumes: true}
}

// phaseOf is how far the life of the producer or consumer has come.
func phaseOf(e *session.Event) session.Phase {
	if e.Producer != nil {
		return e.Producer.Phase
	}
	return e.Consumer.Phase
}

// endOf finds where the producer or consumer of an event counts, and drops one
// that is no longer open.
func (t *Topics) endOf(e *session.Event) *end {
	if e.Producer == nil && e.Consumer == nil {
		return nil
	}
	o, phase := ownerOf(e), phaseOf(e)
	x := t.owners[o]
	if phase == session.Ended || phase == session.Dismissed || closes(e) {
		t.drop(o, x)
		return nil
	}
	if x == nil && len(t.owners) < t.limit {
		x = t.open(o, e)
	}
	switch {
	case x == nil:
		t.Overflown++
	case x.publisher != nil:
		x.publisher.Name = e.Producer.Name // which the broker may have given it
	}
	return x
}

// open begins to count a producer or consumer.
func (t *Topics) open(o owner, e *session.Event) *end {
	topic := t.topic(e.Topic())
	if topic == nil {
		return nil
	}
	x := &end{topic: topic}
	p := Party{ID: o.id, Address: client(e.Conn), Client: e.Conn.ClientVersion, Since: e.At.Time}
	if !o.consumes {
		p.Name = e.Producer.Name
		x.publisher = &Publisher{Party: p}
		topic.publishers[o] = x.publisher
	} else {
		p.Name = e.Consumer.Name
		x.subscription = t.subscription(topic, e.Consumer.Subscription)
		if x.subscription == nil {
			return nil
		}
		x.subscription.Type = cmp.Or(e.Consumer.Type, x.subscription.Type)
		x.consumer = &Consumer{Party: p}
		x.subscription.consumers[o] = x.consumer
	}
	t.owners[o] = x
	return x
}

// client is the address of the client, with its port.
func client(c *session.Conn) string { return c.TCP.Ends[c.Client].String() }

func (t *Topics) topic(name string) *Topic {
	if t.topics[name] == nil {
		if t.known >= t.limit {
			return nil
		}
		t.known++
		t.topics[name] = &Topic{Name: name, subscriptions: map[string]*Subscription{}, publishers: map[owner]*Publisher{}}
	}
	return t.topics[name]
}

func (t *Topics) subscription(topic *Topic, name string) *Subscription {
	if topic.subscriptions[name] == nil {
		if t.known >= t.limit {
			return nil
		}
		t.known++
		topic.subscriptions[name] = &Subscription{Name: name, consumers: map[owner]*Consumer{}}
	}
	return topic.subscriptions[name]
}

// closes says whether the frame at hand closes a producer or consumer.
func closes(e *session.Event) bool {
	return e.Kind == session.FrameSeen && (e.Frame.Is(closeProducer) || e.Frame.Is(closeConsumer))
}

// drop forgets a producer or consumer; what it did stays counted.
func (t *Topics) drop(o owner, x *end) {
	if x == nil {
		return
	}
	delete(t.owners, o)
	delete(x.topic.publishers, o)
	if x.consumer != nil {
		x.subscription.Unacked -= x.consumer.Unacked
		delete(x.subscription.consumers, o)
	}
}

// gone takes the end of a connection. One that the capture does not show to be
// closed is open still.
func (t *Topics) gone(e *session.Event) {
	if e.Conn.TCP.FINFrom < 0 && e.Conn.TCP.RSTFrom < 0 {
		return
	}
	for o, x := range t.owners {
		if o.conn == e.Conn.ID {
			t.drop(o, x)
		}
	}
}

// All gives the topics by name.
func (t *Topics) All() []*Topic {
	return slices.SortedFunc(maps.Values(t.topics), func(a, b *Topic) int { return cmp.Compare(a.Name, b.Name) })
}

// Publishers gives those that are open, in the order opened.
func (t *Topic) Publishers() []*Publisher {
	return slices.SortedFunc(maps.Values(t.publishers), func(a, b *Publisher) int { return a.compare(&b.Party) })
}

// Subscriptions gives those of the topic by name.
func (t *Topic) Subscriptions() []*Subscription {
	return slices.SortedFunc(maps.Values(t.subscriptions), func(a, b *Subscription) int { return cmp.Compare(a.Name, b.Name) })
}

// Consumers gives those that are open, in the order opened.
func (s *Subscription) Consumers() []*Consumer {
	return slices.SortedFunc(maps.Values(s.consumers), func(a, b *Consumer) int { return a.compare(&b.Party) })
}

func (p *Party) compare(o *Party) int {
	return cmp.Or(cmp.Compare(p.Since, o.Since), cmp.Compare(p.Address, o.Address), cmp.Compare(p.ID, o.ID))
}

// Rate gives the rates at the end of the count.
func (t *Topics) Rate(m *Meter) Rate { return m.rate(t.First, t.Last) }

// RateAt gives the rates at a time, ns since the Unix epoch, up to which nothing
// else has come.
func (t *Topics) RateAt(m *Meter, now int64) Rate { return m.rate(t.First, max(t.Last, now)) }

// Until is a time of an event that is judged by when it happened: of the end of
// a connection, when it was closed.
func Until(e *session.Event) int64 {
	if e.Kind == session.ConnectionEnd && e.Conn.TCP.Closing.Order > 0 {
		return e.Conn.TCP.Closing.Time
	}
	return e.At.Time
}
