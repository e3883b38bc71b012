package dispatch

import (
	"strings"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// Topic is a topic as one broker serves it, or several one after another. Only
// topics with a subscription are followed.
type Topic struct {
	Name     string
	Stored   uint64 // entries of which receipts were seen
	LastSeen int64  // of the last of them
	subs     map[string]*Subscription
	openTxns int // transactions with entries here, not ended
	keys     []topicKey
}

// stored says whether its entries have positions of their own.
func (t *Topic) stored() bool { return !strings.HasPrefix(t.Name, "non-persistent:") }

type topicKey struct{ name, server string }

// homeKey is what a consumer keeps when it reconnects to another broker.
type homeKey struct{ client, topic, subscription, consumer string }

// server is the address of a connection's broker, or proxy.
func (t *Tracker) server(c *session.Conn) string {
	s, ok := t.servers[c]
	if !ok {
		_, s, _ = strings.Cut(c.Name, "-")
		t.servers[c] = s
	}
	return s
}

// clientHost is the address of a connection's client, without the port.
func clientHost(c *session.Conn) string {
	client, _, _ := strings.Cut(c.Name, "-")
	return client[:max(strings.LastIndexByte(client, ':'), 0)]
}

// topicOf finds or makes the topic that a consumer subscribes to. The first
// time that it is met at a server, it is the one that the same consumer has
// left elsewhere.
func (t *Tracker) topicOf(c *Consumer) *Topic {
	key := topicKey{c.Topic, t.server(c.Conn)}
	topic := t.topics[key]
	if topic == nil {
		topic = &Topic{Name: c.Topic, subs: map[string]*Subscription{}}
		if was := t.homes[c.home()]; was != nil && (was.Closed.Known() || closedConn(was.Conn)) && !was.migrated && was.Sub != nil {
			topic = was.Sub.Topic
		}
		t.topics[key] = topic
		topic.keys = append(topic.keys, key)
	}
	return topic
}

func (c *Consumer) home() homeKey {
	return homeKey{clientHost(c.Conn), c.Topic, c.Subscription, c.Name}
}

// homesKept is how many consumers are remembered that may come back elsewhere.
const homesKept = 50_000

func (t *Tracker) settle(c *Consumer) {
	if len(t.homes) >= homesKept {
		clear(t.homes)
	}
	t.homes[c.home()] = c
}

// migrated: the consumer goes to another cluster, where the same positions are
// other messages.
func (t *Tracker) migrated(e *session.Event) {
	if kind, _ := e.Frame.Uint(field.CommandTopicMigratedResourceType); kind != uint64(pb.CommandTopicMigrated_Consumer) {
		return
	}
	id, _ := e.Frame.Uint(field.CommandTopicMigratedResourceId)
	if c := t.consumers[e.Conn.Consumers[id]]; c != nil {
		c.migrated = true
	}
}

type sendKey struct {
	conn   int
	offset int64
}

// sendNote is what a SEND says of when consumers will see the entry.
type sendNote struct {
	topic *Topic
	key   string
	later bool // not at once: delayed, in a transaction, or never (a marker)
}

// send notes what is to be stored in a topic that is followed.
func (t *Tracker) send(e *session.Event) {
	if e.Producer == nil || len(t.topics) == 0 {
		return
	}
	topic := t.topics[topicKey{e.Producer.Topic, t.server(e.Conn)}]
	if topic == nil || !topic.stored() {
		return
	}
	if len(t.sends) >= t.limits.Sends {
		t.counters.Sends++
		return
	}
	n := sendNote{topic: topic, key: keyOf(e.Frame)}
	if id, inTxn := session.TxnOf(e.Frame); inTxn {
		n.later = true
		t.openTxn(id, topic)
	}
	for _, number := range [...]int32{field.MessageMetadataDeliverAtTime, field.MessageMetadataMarkerType} {
		n.later = n.later || e.Frame.HasMetadata && e.Frame.Metadata.Find(wire.Top, number) >= 0
	}
	t.sends[sendKey{e.Conn.ID, e.Offset}] = n
}

// sendEnds takes a receipt: subscriptions now wait for the entry.
func (t *Tracker) sendEnds(e *session.Event) {
	x := e.Exchange
	if !x.HasRequest {
		return
	}
	key := sendKey{e.Conn.ID, x.Request.Offset}
	n, ok := t.sends[key]
	if !ok {
		return
	}
	delete(t.sends, key)
	if x.Result != session.OK || !x.HasID || positionOf(x.ID) == nowhere {
		return
	}
	n.topic.Stored++
	n.topic.LastSeen = x.Response.Time
	if n.later {
		return
	}
	for _, s := range n.topic.subs {
		t.owe(s, owed{Position: positionOf(x.ID), since: x.Response.Time, key: n.key})
	}
}

// owe notes that a subscription waits for an entry.
func (t *Tracker) owe(s *Subscription, x owed) {
	switch {
	case len(s.attached) == 0 && !x.again, s.compacted, !x.again && s.hasRead && x.Compare(s.read) <= 0:
		return
	case s.owed.len() >= t.limits.Owed:
		t.counters.Owed++
		return
	}
	if s.Type != keyShared {
		x.key = ""
	}
	s.owed.add(x)
}

// openTxn: what is stored behind a transaction's first entry is not delivered
// until the transaction ends.
func (t *Tracker) openTxn(id session.TxnID, topic *Topic) {
	for _, has := range t.txns[id] {
		if has == topic {
			return
		}
	}
	if len(t.txns) >= t.limits.Sends {
		t.counters.Sends++
		return
	}
	t.txns[id] = append(t.txns[id], topic)
	topic.openTxns++
}

func (t *Tracker) endTxn(e *session.Event) {
	id, _ := session.TxnNamed(e.Frame)
	for _, topic := range t.txns[id] {
		topic.openTxns--
	}
	delete(t.txns, id)
}
