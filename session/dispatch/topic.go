package dispatch

import (
	"strings"

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
	stored   bool   // its entries have positions of their own
	keyed    bool   // a subscription is or was Key_Shared
	subs     map[string]*Subscription
	openTxns int // transactions with entries here, not ended
	keys     []topicKey
}

type topicKey struct{ name, server string }

// homeKey is what a consumer keeps when it reconnects to another broker.
type homeKey struct{ client, topic, subscription, consumer string }

// clientHost is the address of a connection's client, without the port.
func clientHost(c *session.Conn) string {
	client, _, _ := strings.Cut(c.Name, "-")
	return client[:max(strings.LastIndexByte(client, ':'), 0)]
}

// topicOf finds or makes the topic that a consumer subscribes to. The first
// time that it is met at a server, it is the one that the same consumer has
// left elsewhere.
func (t *Tracker) topicOf(c *Consumer) *Topic {
	key := topicKey{c.Topic, t.connection(c.Conn).server}
	topic := t.topics[key]
	if topic == nil {
		topic = &Topic{Name: c.Topic, stored: !strings.HasPrefix(c.Topic, "non-persistent:"), subs: map[string]*Subscription{}}
		if was := t.homes[c.home()]; was != nil && (was.Closed.Known() || closedConn(was.Conn)) && !was.migrated && was.Sub != nil {
			topic = was.Sub.Topic
		}
		t.topics[key] = topic
		t.topicsRound++
		topic.keys = append(topic.keys, key)
	}
	return topic
}

func (c *Consumer) home() homeKey {
	return homeKey{clientHost(c.Conn), c.Topic, c.Subscription, c.Name}
}

// homesKept is how many consumers are remembered that may come back elsewhere.
const homesKept = 10_000

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
	if c := t.of(e.Conn.Consumers[id]); c != nil {
		c.migrated = true
	}
}

// owe notes that a subscription waits for an entry.
func (t *Tracker) owe(s *Subscription, x owed) {
	switch {
	case len(s.attached) == 0 && !x.again, s.compacted, !x.again && s.hasRead && x.Compare(s.read) <= 0:
		return
	case s.owed.len() >= t.limits.Owed, t.owedInAll >= t.limits.OwedInAll && !t.abandon():
		t.counters.Owed++
		return
	}
	if s.Type != keyShared {
		x.key = ""
	}
	s.owed.add(x)
	t.abandoned = t.abandoned || len(s.attached) == 0
	t.wait(s)
}

// abandon makes room: what subscriptions without a consumer wait for is let go,
// the oldest first, down to half the limit, so that it is not soon needed again. It
// says whether there is room now.
func (t *Tracker) abandon() bool {
	for i := 0; t.abandoned && i < len(t.subs) && t.owedInAll > t.limits.OwedInAll/2; i++ {
		if s := t.subs[i]; len(s.attached) == 0 {
			t.counters.Owed += uint64(s.owed.len())
			s.owed.clear()
		}
	}
	t.abandoned = t.abandoned && t.owedInAll <= t.limits.OwedInAll/2
	return t.owedInAll < t.limits.OwedInAll
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
