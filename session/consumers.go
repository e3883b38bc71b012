package session

import (
	"iter"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
)

func (s *Session) subscribe(c *Conn, f *decode.Frame) {
	id, _ := f.Uint(field.CommandSubscribeConsumerId)
	topic, subscription := string(f.Text(field.CommandSubscribeTopic)), string(f.Text(field.CommandSubscribeSubscription))
	x := s.consumer(c, id)
	if x.Topic != "" && !x.Inferred && (x.Topic != topic || x.Subscription != subscription) {
		s.unackedAll(x, "consumer_id_used_anew")
		x.deliveries = deliveries{}
	}
	x.Topic, x.Subscription, x.Known = topic, subscription, true
	x.Inferred, x.ledger = false, 0
	x.Name = string(f.Text(field.CommandSubscribeConsumerName))
	x.Type = enumName(f, field.CommandSubscribeSubType)
	x.Granted, x.Used = 0, 0
	s.schemaOfConsumer(c, x, f)
	s.event.Consumer = x
	s.emitFrame(f)
}

func (s *Session) flow(c *Conn, f *decode.Frame) {
	x := s.consumer(c, first(f.Uint(field.CommandFlowConsumerId)))
	s.event.Consumer = x
	s.emitFrame(f)
	n, _ := f.Uint(field.CommandFlowMessagePermits)
	x.Granted += int64(n)
	s.emitPermits(f, x, true, int64(n))
}

func (s *Session) emitPermits(f *decode.Frame, x *Consumer, flow bool, n int64) {
	s.permits = Permits{ConsumerID: x.ID, Flow: flow, N: n, Outstanding: x.Granted - x.Used, BaselineKnown: x.Known}
	s.event.Permits = &s.permits
	s.emitAbout(PermitsChanged, f)
}

func messageID(w *wire.Walk, node int) MessageID {
	id := MessageID{Partition: -1, BatchIndex: -1}
	id.Ledger, _ = w.Uint(node, field.MessageIdDataLedgerId)
	id.Entry, _ = w.Uint(node, field.MessageIdDataEntryId)
	if p, ok := w.Int32(node, field.MessageIdDataPartition); ok {
		id.Partition = p
	}
	if b, ok := w.Int32(node, field.MessageIdDataBatchIndex); ok {
		id.BatchIndex = b
	}
	return id
}

// message takes a MESSAGE: the delivery of an entry.
func (s *Session) message(c *Conn, f *decode.Frame) {
	x := s.consumer(c, first(f.Uint(field.CommandMessageConsumerId)))
	s.event.Consumer = x
	node, hasID := f.Base.Sub(f.Sub, field.CommandMessageMessageId)
	var id MessageID
	if hasID {
		id = messageID(&f.Base, node)
		s.stands(c, x.whereabouts(), id)
	}
	s.emitFrame(f)
	s.set = s.readAckSet(&f.Base, f.Sub, field.CommandMessageAckSet)
	s.entry(c, f)
	count := min(max(f.MessageCount(), 0), largestBatch)
	open := count
	if len(s.set) > 0 {
		open = s.set.count(count)
	}
	x.Used += int64(open)
	if hasID && !nonPersistent(x.Topic) {
		s.deliver(f, x, id, count)
	}
	s.emitPermits(f, x, false, int64(open))
}

// largestBatch is the largest number of messages in an entry that is believed.
const largestBatch = 1 << 24

func (s *Session) deliver(f *decode.Frame, x *Consumer, id MessageID, count int) {
	d := newDelivery(id, f, count)
	if earlier, was := x.deliveries.add(d, s.set); was {
		s.unacked(x, &earlier, Redelivered, "delivered again")
	}
	if x.deliveries.open > s.limits.DeliveriesPerConsumer {
		s.letGo(x)
	}
}

// letGo forgets the oldest open delivery.
func (s *Session) letGo(x *Consumer) {
	s.counters.Deliveries++
	var oldest *delivery
	x.deliveries.each(func(d *delivery) bool {
		oldest = d
		return false
	})
	s.unacked(x, oldest, Unacked, "limit")
	x.deliveries.close(oldest, false)
}

func (s *Session) readAckSet(w *wire.Walk, node int, number int32) ackSet {
	s.words = s.words[:0]
	for i := w.Find(node, number); i >= 0; i = w.NextOf(i) {
		s.words = append(s.words, w.Nodes[i].Value)
	}
	return s.words
}

func (s *Session) ack(c *Conn, f *decode.Frame) {
	x := s.consumer(c, first(f.Uint(field.CommandAckConsumerId)))
	s.event.Consumer = x
	s.emitFrame(f)
	if nonPersistent(x.Topic) {
		return
	}
	kind, _ := f.Base.Int32(f.Sub, field.CommandAckAckType)
	for i := f.Base.Find(f.Sub, field.CommandAckMessageId); i >= 0; i = f.Base.NextOf(i) {
		e := s.newExchange(Ack)
		e.ConsumerID, e.HasResponse, e.Response = x.ID, true, refOf(f)
		e.ID, e.HasID = messageID(&f.Base, i), true
		set := s.readAckSet(&f.Base, i, field.MessageIdDataAckSet)
		if kind == int32(cumulativeAck) {
			s.ackCumulative(x, e, set)
		} else {
			s.ackIndividual(x, e, set)
		}
		s.emitExchange(e)
	}
}

func (s *Session) ackIndividual(x *Consumer, e *Exchange, set ackSet) {
	d := x.deliveries.find(&e.ID)
	if d == nil {
		e.Result = OrphanResponse
		return
	}
	e.HasRequest, e.Request = true, d.ref()
	switch {
	case d.done:
		e.Result = Repeat
		return
	case len(set) > 0:
		e.Messages = x.deliveries.restrict(d, set)
	default:
		e.Messages = int(d.left)
		d.left = 0
	}
	e.Left = int(d.left)
	if d.left == 0 {
		x.deliveries.close(d, true)
		s.keepDone(x, e.ID)
	}
}

func (s *Session) ackCumulative(x *Consumer, e *Exchange, set ackSet) {
	e.Cumulative = true
	s.covers = s.covers[:0]
	s.closing = s.closing[:0]
	x.deliveries.each(func(d *delivery) bool {
		order := compareIDs(&d.ID, &e.ID)
		if order > 0 {
			return false
		}
		cover := Cover{ID: d.ID, Messages: int(d.left), Latency: e.Response.Time - d.time}
		if order == 0 && len(set) > 0 {
			cover.Messages = x.deliveries.restrict(d, set)
		} else {
			d.left = 0
		}
		if d.left == 0 {
			s.closing = append(s.closing, d.ID)
		}
		e.Messages += cover.Messages
		s.covers = append(s.covers, cover)
		return true
	})
	for i := range s.closing {
		x.deliveries.close(x.deliveries.find(&s.closing[i]), false)
	}
	if e.Covers = s.covers; len(e.Covers) == 0 {
		e.Result = OrphanResponse
	}
}

// keepDone remembers that an id was acknowledged, within the limit for all
// consumers together.
func (s *Session) keepDone(x *Consumer, id MessageID) {
	if len(s.done) < s.limits.Acknowledged {
		s.done = append(s.done, doneID{x, entryKey{id.Ledger, id.Entry}})
		return
	}
	old := &s.done[s.oldestDone]
	consumer, was := old.consumer, MessageID{Ledger: old.id.ledger, Entry: old.id.entry}
	*old = doneID{x, entryKey{id.Ledger, id.Entry}}
	s.oldestDone = (s.oldestDone + 1) % len(s.done)
	if d := consumer.deliveries.find(&was); d != nil && d.done {
		s.counters.Acknowledged++
		consumer.deliveries.forget(&was)
	}
}

func (s *Session) unacked(x *Consumer, d *delivery, r Result, why string) {
	s.event.Consumer = x
	e := s.newExchange(Ack)
	e.Result, e.HasRequest, e.Request, e.ConsumerID, e.Why = r, true, d.ref(), x.ID, why
	e.ID, e.HasID, e.Left = d.ID, true, int(d.left)
	s.emitExchange(e)
}

func (s *Session) unackedAll(x *Consumer, why string) {
	x.deliveries.each(func(d *delivery) bool {
		s.unacked(x, d, Unacked, why)
		return true
	})
}

// IDs gives the entries that a repeated field of a command names, such as
// message_id of an ACK.
func IDs(f *decode.Frame, number int32) iter.Seq[MessageID] {
	return func(yield func(MessageID) bool) {
		if f.Sub < 0 {
			return
		}
		for i := range f.Base.Each(f.Sub, number) {
			if !yield(messageID(&f.Base, i)) {
				return
			}
		}
	}
}

// IDOf gives the entry that a field of a command names.
func IDOf(f *decode.Frame, number int32) (id MessageID, ok bool) {
	if f.Sub < 0 {
		return id, false
	}
	node, ok := f.Base.Sub(f.Sub, number)
	if ok {
		id = messageID(&f.Base, node)
	}
	return id, ok
}
