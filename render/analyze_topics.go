package render

import (
	"cmp"
	"slices"

	"pulsar-dissect/session/summary"
)

// topicRow is a topic with its subscriptions.
type topicRow struct {
	topic    string
	produced summary.Produced
	consumed []summary.Consumed
}

func (t *topicRow) messages() (n uint64) {
	n = t.produced.Messages
	for i := range t.consumed {
		n += t.consumed[i].Messages
	}
	return n
}

// topics gives all topics by name.
func (a *Analyze) topics() (rows []*topicRow, more uint64) {
	produced, _, moreTopics := a.summary.Produced()
	consumed, _, moreSubscriptions := a.summary.Consumed()
	byName := map[string]*topicRow{}
	find := func(topic string) *topicRow {
		if byName[topic] == nil {
			byName[topic] = &topicRow{topic: topic}
			rows = append(rows, byName[topic])
		}
		return byName[topic]
	}
	for i := range produced {
		find(produced[i].Topic).produced = produced[i]
	}
	for i := range consumed {
		t := find(consumed[i].Topic)
		t.consumed = append(t.consumed, consumed[i])
	}
	slices.SortFunc(rows, func(x, y *topicRow) int { return cmp.Compare(x.topic, y.topic) })
	return rows, moreTopics + moreSubscriptions
}

// topicSheet shows what was sent and delivered, a line for each subscription:
// where there are many topics, those with most messages.
func (a *Analyze) topicSheet() *sheet {
	s := &sheet{kind: "topic", title: "TOPICS", columns: []sheetColumn{
		{title: "TOPIC", least: 24, names: true},
		{title: "PRODUCERS", name: "producers", right: true, spare: 4}, {title: "SENDS", name: "sends", right: true, spare: 5},
		{title: "MESSAGES", name: "sent", right: true}, {title: "RECEIPTS", name: "receipts", right: true},
		{title: "ERRORS", name: "errors", right: true}, {title: "SUBSCRIPTION", name: "subscription", least: 16, names: true},
		{title: "TYPE", name: "type", spare: 2}, {title: "CONSUMERS", name: "consumers", right: true, spare: 3},
		{title: "DELIVERED", name: "delivered", right: true}, {title: "ACKED", name: "acked", right: true},
		{title: "REDELIVERED", name: "redelivered", right: true, spare: 1}, {title: "UNACKED", name: "unacked", right: true, spare: 1},
	}}
	rows, more := a.topics()
	if hidden := len(rows) - shownTopics; hidden > 0 && !a.terse() {
		slices.SortStableFunc(rows, func(x, y *topicRow) int { return cmp.Compare(y.messages(), x.messages()) })
		rows = rows[:shownTopics]
		slices.SortFunc(rows, func(x, y *topicRow) int { return cmp.Compare(x.topic, y.topic) })
		s.note = "and " + plural(hidden, "more topic") + " (-o compact)"
	}
	for _, t := range rows {
		s.rows = append(s.rows, a.topicCells(t)...)
	}
	if more > 0 {
		s.note += " Not all topics and subscriptions have a row of their own: there are too many."
	}
	return s
}

// topicCells gives the lines of a topic.
func (a *Analyze) topicCells(t *topicRow) (rows [][]styled) {
	first := []styled{{subject, topicName(t.topic)}}
	p := &t.produced
	if p.Entries.Entries+p.Openers > 0 {
		first = append(first, styled{plain, countText(p.Openers)}, styled{plain, countText(p.Entries.Entries)},
			styled{plain, countText(p.Messages)}, lacking(p.Receipts, p.Entries.Entries), alarming(p.Errors, wrong))
	} else {
		first = append(first, make([]styled, 5)...)
	}
	if len(t.consumed) == 0 {
		return [][]styled{append(first, make([]styled, 7)...)}
	}
	subscriptions, hidden := t.consumed, 0
	if hidden = len(subscriptions) - shownSubscriptions; hidden > 0 && !a.terse() {
		subscriptions = append(subscriptions[:shownSubscriptions:shownSubscriptions], sumOf(subscriptions[shownSubscriptions:]))
	}
	for i := range subscriptions {
		if i > 0 && !a.terse() {
			first = make([]styled, 6)
		}
		rows = append(rows, append(slices.Clone(first), subscriptionCells(&subscriptions[i])...))
	}
	return rows
}

// sumOf puts subscriptions together.
func sumOf(list []summary.Consumed) (all summary.Consumed) {
	all.Subscription = plural(len(list), "more subscription")
	for i := range list {
		c := &list[i]
		all.Openers += c.Openers
		all.Messages += c.Messages
		all.Acked += c.Acked
		all.Followed = all.Followed || c.Followed
		all.Redelivered += c.Redelivered
		all.Unacked += c.Unacked
	}
	return all
}

func subscriptionCells(c *summary.Consumed) []styled {
	name := string(appendName(nil, c.Subscription))
	if name == "" {
		name = "(not seen)"
	}
	return []styled{
		{plain, name}, {faint, string(appendName(nil, c.Type))}, {plain, countText(c.Openers)},
		{plain, countText(c.Messages)}, {plain, countText(c.Acked)}, followed(c, c.Redelivered), followed(c, c.Unacked),
	}
}

// followed is a count of a subscription that is known where its deliveries were
// followed: where rules are run, and its topic is stored.
func followed(c *summary.Consumed, n uint64) styled {
	if !c.Followed {
		return styled{faint, "-"}
	}
	return alarming(n, doubtful)
}

func topicName(topic string) string {
	if topic == "" {
		return "(topic not seen)"
	}
	return string(appendTopic(nil, topic))
}

// alarming is a count that should be 0.
func alarming(n uint64, s style) styled {
	if n == 0 {
		return styled{faint, "0"}
	}
	return styled{s, countText(n)}
}

// lacking is a count that should be that of all.
func lacking(n, all uint64) styled {
	if n < all {
		return styled{doubtful, countText(n)}
	}
	return styled{plain, countText(n)}
}
