package render

import (
	"cmp"
	"io"
	"slices"
	"strconv"

	"pulsar-dissect/decode"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

// keptConsumers is how many consumers a table shows at most.
const keptConsumers = 10_000

// consumerRow is what a table shows of a verdict. It holds on to no entity of
// the session.
type consumerRow struct {
	conn                                      int
	name, topic, subscription, kind, closedBy string
	state, before                             dispatch.Doing
	since, at                                 int64 // ns since the Unix epoch
	permits, unacked                          int64
	oldest                                    string // with its age; empty: none
	waiting                                   int
	delivered, acked, again                   int64
}

func newConsumerRow(v *dispatch.Verdict) consumerRow {
	c := v.Consumer
	r := consumerRow{
		conn: c.Conn.ID, name: consumerWord(c.Name, c.ID), topic: c.Topic, subscription: c.Subscription, kind: c.Type,
		closedBy: c.ClosedBy.String(), state: v.State, before: v.Before, since: v.Since, at: v.At, permits: v.Permits,
		unacked: v.Unacked, waiting: v.Waiting, delivered: c.Delivered, acked: c.Acked, again: c.Redelivered,
	}
	if v.HasAge {
		r.oldest = v.Oldest.String() + " (" + latencyText(v.Age) + ")"
	}
	return r
}

// consumerWord is the name of a consumer, or its id where it has none.
func consumerWord(name string, id uint64) string {
	if name != "" {
		return name
	}
	return "#" + strconv.FormatUint(id, 10)
}

// doings are the states in words, how they look, and in which order they are
// listed: what needs somebody first.
var doings = [...]struct {
	words string
	look  style
	rank  int
}{
	dispatch.UnackedLimit:     {"at its unacked limit", wrong, 0},
	dispatch.NoPermits:        {"no permits", doubtful, 1},
	dispatch.BlockedKey:       {"key blocked", doubtful, 2},
	dispatch.AppNotAcking:     {"application not acking", doubtful, 3},
	dispatch.Unknown:          {"unknown", faint, 4},
	dispatch.Flowing:          {"flowing", good, 5},
	dispatch.NoMessages:       {"nothing to deliver seen", plain, 6},
	dispatch.InactiveFailover: {"inactive (failover)", plain, 7},
	dispatch.Closed:           {"closed", faint, 8},
}

// stuck says whether somebody has to do something about the consumer.
func (r *consumerRow) stuck() bool {
	switch r.state {
	case dispatch.UnackedLimit, dispatch.BlockedKey, dispatch.AppNotAcking:
		return true
	case dispatch.NoPermits:
		return r.waiting > 0
	}
	return false
}

func sortConsumers(rows []consumerRow) {
	slices.SortStableFunc(rows, func(a, b consumerRow) int { return cmp.Compare(doings[a.state].rank, doings[b.state].rank) })
}

var consumerColumns = []sheetColumn{
	{title: "CONSUMER", name: "consumer", least: 10, names: true}, {title: "CONN", name: "conn"},
	{title: "TOPIC", name: "topic", least: 16, names: true}, {title: "SUBSCRIPTION", name: "subscription", least: 12, names: true},
	{title: "TYPE", name: "type", spare: 2}, {title: "STATE", name: "state", least: 16}, {title: "SINCE", name: "since", right: true},
	{title: "PERMITS", name: "permits", right: true}, {title: "UNACKED", name: "unacked", right: true},
	{title: "OLDEST UNACKED", name: "oldest_unacked", spare: 1}, {title: "WAITING", name: "waiting", right: true, spare: 4},
	{title: "DELIVERED", name: "delivered", right: true, spare: 3}, {title: "ACKED", name: "acked", right: true, spare: 3},
	{title: "REDELIVERED", name: "redelivered", right: true, spare: 5},
}

func (r *consumerRow) cells(s *stamps, terse bool) []styled {
	d := &doings[r.state]
	state := d.words
	switch {
	case terse:
		state = r.state.String()
	case r.state == dispatch.Closed:
		state += " by " + r.closedBy
	}
	integers := func(n int64) styled { return styled{plain, strconv.FormatInt(n, 10)} }
	return []styled{
		{subject, named(r.name)}, {plain, string(appendLabel(nil, r.conn))}, {plain, string(appendTopic(nil, r.topic))},
		{plain, named(r.subscription)}, {plain, r.kind}, {d.look, state}, {plain, string(s.append(nil, r.since, false))},
		integers(r.permits), integers(r.unacked), {plain, r.oldest}, integers(int64(r.waiting)),
		integers(r.delivered), integers(r.acked), integers(r.again),
	}
}

// consumerSheet shows consumers in the order that they are in.
func consumerSheet(title string, rows []consumerRow, s *stamps, terse bool) *sheet {
	t := &sheet{kind: "consumer", title: title, columns: consumerColumns}
	for i := range rows {
		t.rows = append(t.rows, rows[i].cells(s, terse))
	}
	return t
}

// Consumers is the face "consumers": how each consumer was doing at its end, or
// at the end of the capture. It writes all at the end.
type Consumers struct {
	w       io.Writer
	options Options
	rows    []consumerRow
	more    uint64 // beyond keptConsumers
}

// NewConsumers makes the face "consumers".
func NewConsumers(w io.Writer, o Options) *Consumers { return &Consumers{w: w, options: o} }

// Event has no use for events.
func (c *Consumers) Event(*session.Event) error { return nil }

// Findings has no use for findings.
func (c *Consumers) Findings(*Diagnosis) error { return nil }

// Consumer takes a verdict.
func (c *Consumers) Consumer(v *dispatch.Verdict, _ decode.Position) error {
	if len(c.rows) == keptConsumers {
		c.more++
		return nil
	}
	c.rows = append(c.rows, newConsumerRow(v))
	return nil
}

// Close writes the table.
func (c *Consumers) Close(end *End) error {
	if len(c.rows) == 0 {
		return writeNothing(c.w, newLine(&c.options), end, "no consumer was seen")
	}
	sortConsumers(c.rows)
	s := stamps{wall: c.options.WallClock}
	s.begin(firstTime(end))
	t := consumerSheet("CONSUMERS", c.rows, &s, c.options.Format == Compact)
	t.first = true
	t.note = "Since: " + s.caption() + "."
	if c.more > 0 {
		t.note = "and " + plural(c.more, "more consumer") + ". " + t.note
	}
	return t.print(c.w, &c.options)
}
