package summary

import (
	"cmp"
	"slices"
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/codec"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

// Entries counts entries and what they hold.
type Entries struct {
	Entries  uint64 // SEND or MESSAGE frames
	Messages uint64 // as the metadata say; a chunked message once, with its last chunk
	Bytes    uint64 // of payload as on the wire
}

func (n *Entries) add(o Entries) {
	n.Entries += o.Entries
	n.Messages += o.Messages
	n.Bytes += o.Bytes
}

// Produced is what was sent to a topic.
type Produced struct {
	Topic   string // empty where the PRODUCER was not captured
	Openers uint64 // PRODUCER commands
	Entries
	Receipts   uint64 // SENDs answered by SEND_RECEIPT
	Errors     uint64 // SENDs answered by SEND_ERROR
	Unanswered uint64 // SENDs without an answer
}

// Consumed is what was delivered to a subscription.
type Consumed struct {
	Topic        string // empty where the SUBSCRIBE was not captured
	Subscription string
	Type         string // the latest that a consumer stated
	Openers      uint64 // SUBSCRIBE commands
	Entries
	Acked uint64 // messages

	Followed    bool   // the two below are known
	Redelivered uint64 // of the delivered messages, those that the subscription had got before
	Unacked     uint64 // messages that were delivered, and acknowledged by no consumer to the end of the run
}

type subscription struct{ topic, name string }

func (s *Summary) producedTo(p *session.Producer) *Produced {
	return s.produced.row(p.Topic, len(p.Topic))
}

func (s *Summary) consumedBy(c *session.Consumer) *Consumed {
	return s.consumed.row(subscription{c.Topic, c.Subscription}, len(c.Topic)+len(c.Subscription))
}

func (s *Summary) producerOpened(e *session.Event) {
	if e.Producer != nil {
		s.producedTo(e.Producer).Openers++
	}
}

func (s *Summary) subscribed(e *session.Event) {
	if e.Consumer != nil {
		s.consumedBy(e.Consumer).Openers++
	}
}

func (s *Summary) sent(e *session.Event) {
	n := s.entry(e.Frame)
	if e.Producer != nil {
		s.producedTo(e.Producer).add(n)
	}
}

func (s *Summary) delivered(e *session.Event) {
	n := s.entry(e.Frame)
	if ms, ok := session.BrokerDelay(e.Frame); ok {
		s.BrokerDelay.Add(ms * 1e6)
	}
	if e.Consumer == nil {
		return
	}
	r := s.consumedBy(e.Consumer)
	r.add(n)
	r.Type = e.Consumer.Type
}

// entry counts the entry of a SEND or MESSAGE by its codec.
func (s *Summary) entry(f *decode.Frame) Entries {
	n := Entries{Entries: 1, Messages: Messages(f), Bytes: uint64(len(f.Payload))}
	if f.HasMetadata {
		c, _ := f.Metadata.Int32(wire.Top, field.MessageMetadataCompression)
		s.codecs[f.Direction].row(codec.Codec(c), 0).add(n)
	}
	return n
}

// Messages is how many messages the entry of a SEND or MESSAGE adds: a chunked
// message counts once, with its last chunk.
func Messages(f *decode.Frame) uint64 {
	if !f.HasMetadata {
		return 1
	}
	if chunks, _ := f.Metadata.Int32(wire.Top, field.MessageMetadataNumChunksFromMsg); chunks > 1 {
		if id, ok := f.Metadata.Int32(wire.Top, field.MessageMetadataChunkId); ok && id == chunks-1 {
			return 1
		}
		return 0
	}
	return uint64(max(f.MessageCount(), 0))
}

// answered counts the outcome of a SEND.
func (s *Summary) answered(e *session.Event) {
	x := e.Exchange
	if e.Producer == nil || !x.HasRequest {
		return
	}
	r := s.producedTo(e.Producer)
	switch x.Result {
	case session.OK:
		r.Receipts++
	case session.Failed:
		r.Errors++
	case session.Unanswered:
		r.Unanswered++
	}
}

// acknowledged counts what became of a delivery.
func (s *Summary) acknowledged(e *session.Event) {
	x := e.Exchange
	if e.Consumer == nil {
		return
	}
	if x.Result == session.OK {
		s.consumedBy(e.Consumer).Acked += uint64(x.Messages)
	}
}

// Stand takes how subscriptions stand at the end of the run. Those of which
// nothing was counted are passed over.
func (s *Summary) Stand(all []dispatch.Standing) {
	for i := range all {
		r := s.consumed.known(subscription{all[i].Topic, all[i].Subscription})
		if r == nil {
			continue
		}
		r.Followed = true
		r.Redelivered += uint64(all[i].Redelivered)
		r.Unacked += uint64(all[i].Unacked)
	}
}

// Produced gives what was sent, by topic; topics without a row share others.
func (s *Summary) Produced() (rows []Produced, others Produced, more uint64) {
	s.produced.each(func(topic string, p *Produced) {
		p.Topic = topic
		rows = append(rows, *p)
	})
	slices.SortFunc(rows, func(a, b Produced) int { return strings.Compare(a.Topic, b.Topic) })
	return rows, s.produced.others, s.produced.overflown
}

// Consumed gives what was delivered, by topic and subscription; those without a
// row share others.
func (s *Summary) Consumed() (rows []Consumed, others Consumed, more uint64) {
	s.consumed.each(func(k subscription, c *Consumed) {
		c.Topic, c.Subscription = k.topic, k.name
		rows = append(rows, *c)
	})
	slices.SortFunc(rows, func(a, b Consumed) int {
		return cmp.Or(strings.Compare(a.Topic, b.Topic), strings.Compare(a.Subscription, b.Subscription))
	})
	return rows, s.consumed.others, s.consumed.overflown
}

// Codec counts the entries that were compressed alike.
type Codec struct {
	Codec codec.Codec
	Entries
}

// Codecs gives the entries of a direction by codec: c2s those of SEND, s2c
// those of MESSAGE. Unknown codecs without a row share others.
func (s *Summary) Codecs(d decode.Direction) (rows []Codec, others Entries) {
	s.codecs[d].each(func(c codec.Codec, n *Entries) { rows = append(rows, Codec{c, *n}) })
	slices.SortFunc(rows, func(a, b Codec) int { return cmp.Compare(a.Codec, b.Codec) })
	return rows, s.codecs[d].others
}
