package tui

import (
	"cmp"
	"maps"
	"slices"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
	"pulsar-dissect/session/summary"
	"pulsar-dissect/session/trace"
)

// producer is what is counted of a producer.
type producer struct {
	row     ProducerRow
	took    latest
	counted uint64 // latencies at the time of the percentiles
}

// latencies is how many latencies of a producer are kept, and their percentiles
// are of.
const latencies = 256

// latest are the latest latencies of a producer, ns.
type latest struct {
	count uint64
	ring  []int64
}

func (l *latest) add(ns int64) {
	if len(l.ring) < latencies {
		l.ring = append(l.ring, ns)
	} else {
		l.ring[l.count%latencies] = ns
	}
	l.count++
}

// all puts them into a distribution.
func (l *latest) all() (d summary.Latencies) {
	for _, ns := range l.ring {
		d.Add(ns)
	}
	return d
}

// connection is what is counted of a connection.
type connection struct {
	row  ConnectionRow
	conn *session.Conn // nil once it has ended
}

// producerOf finds the producer of an event, or begins to count it.
func (f *Feed) producerOf(e *session.Event) *producer {
	if e.Producer == nil {
		return nil
	}
	key := partyKey{e.Conn.ID, Party{e.Producer.ID, IsProducer}}
	p := f.producers[key]
	if p == nil {
		if len(f.producers) >= f.limits.Rows && !f.producersFull.room(f.state.Seen, f.forgetProducer) {
			f.state.Unlisted++
			return nil
		}
		p = &producer{row: ProducerRow{Conn: e.Conn.ID, ID: e.Producer.ID}}
		f.producers[key] = p
	}
	p.row.Name, p.row.Topic = e.Producer.Name, e.Producer.Topic
	p.row.Open = e.Producer.Phase != session.Ended && e.Producer.Phase != session.Dismissed
	return p
}

// full remembers that no row could be forgotten, since looking for one takes long.
type full struct{ until uint64 }

// lookAgain is after how many events it is tried again.
const lookAgain = 10_000

// room says whether there is room for another row, where one can be forgotten.
func (x *full) room(seen uint64, forget func() bool) bool {
	if seen < x.until {
		return false
	}
	if forget() {
		return true
	}
	x.until = seen + lookAgain
	return false
}

// forgetProducer makes room by forgetting those that are closed.
func (f *Feed) forgetProducer() bool {
	n := len(f.producers)
	maps.DeleteFunc(f.producers, func(_ partyKey, p *producer) bool { return !p.row.Open })
	return len(f.producers) < n
}

func (f *Feed) producerFrame(e *session.Event) {
	p := f.producerOf(e)
	if p == nil || !e.Frame.Is(int32(pb.BaseCommand_SEND)) {
		return
	}
	p.row.Sent++
	p.row.InFlight++
	p.row.Messages += summary.Messages(e.Frame)
}

func (f *Feed) producerExchange(e *session.Event) {
	x := e.Exchange
	p := f.producerOf(e)
	if p == nil || x.Kind != session.Send || !x.HasRequest {
		return
	}
	p.row.InFlight -= min(p.row.InFlight, 1)
	if x.Result == session.Failed {
		p.row.Errors++
	}
	if ns, ok := x.Latency(); ok {
		p.took.add(ns)
	}
}

func (f *Feed) producerRows() []ProducerRow {
	rows := make([]ProducerRow, 0, len(f.producers))
	for _, p := range f.producers {
		if p.counted != p.took.count {
			took := p.took.all()
			p.counted, p.row.P50, p.row.P99 = p.took.count, took.Percentile(50), took.Percentile(99)
		}
		rows = append(rows, p.row)
	}
	slices.SortFunc(rows, func(a, b ProducerRow) int { return cmp.Or(cmp.Compare(a.Conn, b.Conn), cmp.Compare(a.ID, b.ID)) })
	return rows
}

// connectionOf finds the connection of an event, or begins to count it.
func (f *Feed) connectionOf(e *session.Event) *connection {
	c := f.connections[e.Conn.ID]
	if c == nil {
		if len(f.order) >= f.limits.Rows && !f.connectionsFull.room(f.state.Seen, f.forgetConnection) {
			f.state.Unlisted++
			return nil
		}
		c = &connection{row: ConnectionRow{ID: e.Conn.ID}, conn: e.Conn}
		f.connections[e.Conn.ID] = c
		f.order = append(f.order, c)
	}
	return c
}

// forgetConnection makes room by forgetting the oldest that has ended.
func (f *Feed) forgetConnection() bool {
	i := slices.IndexFunc(f.order, func(c *connection) bool { return c.conn == nil })
	if i < 0 {
		return false
	}
	delete(f.connections, f.order[i].row.ID)
	f.order = slices.Delete(f.order, i, i+1)
	return true
}

func (f *Feed) connectionFrame(e *session.Event) {
	if c := f.connectionOf(e); c != nil {
		c.row.Frames[e.Direction]++
		c.row.Bytes[e.Direction] += uint64(max(e.Frame.Size, 0))
		c.row.Last = e.At.Time
	}
}

func (f *Feed) lost(e *session.Event) {
	if c := f.connectionOf(e); c != nil {
		c.row.Lost++
	}
}

// connectionEnd ends a connection with its producers. One that is of no interest
// has no row, unless something of it was listed.
func (f *Feed) connectionEnd(e *session.Event) {
	if e.Conn.Protocol == decode.Pulsar || e.Conn.Protocol == decode.BookKeeper {
		f.connectionOf(e)
	}
	if c := f.connections[e.Conn.ID]; c != nil {
		c.fill()
		c.row.Producers, c.row.Consumers = 0, 0
		c.row.Open, c.conn = false, nil
	}
	for id := range e.Conn.Producers {
		if p := f.producers[partyKey{e.Conn.ID, Party{id, IsProducer}}]; p != nil {
			p.row.Open = false
		}
	}
}

// fill takes over what the session knows of the connection.
func (c *connection) fill() {
	if c.conn == nil {
		return
	}
	c.row.Name, c.row.Client, c.row.Open = c.conn.Name, c.conn.ClientVersion, true
	c.row.Producers, c.row.Consumers = 0, 0
	for _, p := range c.conn.Producers {
		if isOpen(p.Phase) {
			c.row.Producers++
		}
	}
	for _, x := range c.conn.Consumers {
		if isOpen(x.Phase) {
			c.row.Consumers++
		}
	}
}

func isOpen(p session.Phase) bool { return p != session.Ended && p != session.Dismissed }

func (f *Feed) connectionRows() []ConnectionRow {
	rows := make([]ConnectionRow, 0, len(f.order))
	for _, c := range f.order {
		c.fill()
		c.row.Quiet = 0
		if c.row.Open && c.row.Last != 0 {
			c.row.Quiet = max(f.state.Now-c.row.Last, 0)
		}
		rows = append(rows, c.row)
	}
	return rows
}

// consumerRows are the consumers that are open, and those that have ended.
func (f *Feed) consumerRows() []ConsumerRow {
	rows := slices.Clone(f.ended)
	if f.tracker == nil {
		return rows
	}
	f.tracker.AsOf(f.state.Now, func() {
		for _, c := range f.tracker.Open() {
			if len(rows) >= 2*f.limits.Rows {
				break
			}
			v := f.tracker.Verdict(c)
			rows = append(rows, consumerRow(&v))
		}
	})
	return rows
}

func consumerRow(v *dispatch.Verdict) ConsumerRow {
	c := v.Consumer
	return ConsumerRow{
		Conn: c.Conn.ID, ID: c.ID, Name: c.Name, Topic: c.Topic, Subscription: c.Subscription, Type: c.Type, State: v.State, Since: v.Since,
		Permits: v.Permits, Unacked: v.Unacked, Age: v.Age, Waiting: v.Waiting,
		Delivered: c.Delivered, Acked: c.Acked, Redelivered: c.Redelivered,
	}
}

// topicRows are the topics. What waits is told by their consumers: each has what
// its subscription waits for.
func (f *Feed) topicRows(consumers []ConsumerRow) []TopicRow {
	type subscription struct{ topic, name string }
	waiting := map[subscription]int{}
	for i := range consumers {
		c := &consumers[i]
		if c.State != dispatch.Closed {
			waiting[subscription{c.Topic, c.Subscription}] = c.Waiting
		}
	}
	all := f.topics.All()
	rows := make([]TopicRow, 0, len(all))
	for _, t := range all {
		in, out := f.topics.RateAt(&t.In, f.state.Now), f.topics.RateAt(&t.Out, f.state.Now)
		row := TopicRow{
			Name: t.Name, In: t.In.Messages, Out: t.Out.Messages, InRate: in.Messages, OutRate: out.Messages,
			InBytes: in.Bytes, OutBytes: out.Bytes, Publishers: len(t.Publishers()),
		}
		for _, s := range t.Subscriptions() {
			row.Subscriptions++
			row.Consumers += len(s.Consumers())
			row.Unacked += s.Unacked
			row.Waiting += waiting[subscription{t.Name, s.Name}]
		}
		rows = append(rows, row)
	}
	return rows
}

// idFields are where commands name the entry that they are about.
var idFields = map[int32]int32{
	int32(pb.BaseCommand_MESSAGE):      field.CommandMessageMessageId,
	int32(pb.BaseCommand_SEND_RECEIPT): field.CommandSendReceiptMessageId,
	int32(pb.BaseCommand_ACK):          field.CommandAckMessageId,
}

// messageOf is the entry that a frame is about, its first if there are several.
func messageOf(f *decode.Frame) (entry trace.Entry, ok bool) {
	number, ok := idFields[f.Type]
	if !ok || f.Sub < 0 {
		return entry, false
	}
	for id := range session.IDs(f, number) {
		return trace.Entry{Ledger: id.Ledger, Entry: id.Entry}, true
	}
	return entry, false
}

// sequenceFields are where commands name the sequence id of a SEND.
var sequenceFields = map[int32]int32{
	int32(pb.BaseCommand_SEND):         field.CommandSendSequenceId,
	int32(pb.BaseCommand_SEND_RECEIPT): field.CommandSendReceiptSequenceId,
}

// sequenceOf is the sequence id that a frame is about.
func sequenceOf(f *decode.Frame) (uint64, bool) {
	number, ok := sequenceFields[f.Type]
	if !ok || f.Sub < 0 {
		return 0, false
	}
	return f.Uint(number)
}
