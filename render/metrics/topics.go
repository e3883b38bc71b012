package metrics

import (
	"cmp"
	"slices"
	"strings"
)

// topics counts by topic: at most so many, the others together.
type topics struct {
	rows  []topic // the first is that of all others
	index map[string]int
	most  int
	last  string // found before, and most often asked for again
	at    int
}

// topic counts what concerns a topic.
type topic struct {
	name         string
	sends        uint64 // SEND
	sent         uint64 // messages
	deliveries   uint64 // MESSAGE
	delivered    uint64 // messages
	redelivered  uint64 // of these, those that the subscription had got before
	acknowledged uint64 // messages

	consumers, permits, unacked int64 // of consumers that are there; added up when counts are published
}

// What stands for topics that have no name or no row. A name of a topic has a
// scheme.
const (
	otherTopics  = "other"
	unknownTopic = "unknown"
)

func newTopics(l Limits) topics {
	return topics{rows: []topic{{name: otherTopics}}, index: map[string]int{}, most: cmp.Or(l.Topics, DefaultTopics)}
}

// of finds the row of a topic, or makes one. It is valid until the next call.
func (t *topics) of(name string) *topic {
	if name == t.last && t.at > 0 {
		return &t.rows[t.at]
	}
	at, known := t.index[name]
	if !known && len(t.rows) <= t.most {
		at = len(t.rows)
		t.rows = append(t.rows, topic{name: label(name)})
		t.index[name] = at
	}
	t.last, t.at = name, at
	return &t.rows[at]
}

// label is a name as a label, which has to be UTF-8.
func label(name string) string { return cmp.Or(strings.ToValidUTF8(name, "\uFFFD"), unknownTopic) }

// holdNothing begins to add up anew what consumers hold.
func (t *topics) holdNothing() {
	for i := range t.rows {
		r := &t.rows[i]
		r.consumers, r.permits, r.unacked = 0, 0, 0
	}
}

// clone copies the rows. The copy is to be read only.
func (t *topics) clone() topics {
	c := *t
	c.rows = slices.Clone(t.rows)
	return c
}
