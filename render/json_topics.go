package render

import (
	"encoding/json"
	"io"
	"slices"

	"pulsar-dissect/session"
	"pulsar-dissect/session/stats"
)

// TopicStats is the face "stats --as pulsar-admin": an object by topic, with the
// fields of 'pulsar-admin topics stats' that the wire can tell. It writes all
// at the end.
type TopicStats struct {
	w      io.Writer
	chosen StatsOptions
	topics *stats.Topics
}

// NewTopicStats makes the face "stats --as pulsar-admin".
func NewTopicStats(w io.Writer, s StatsOptions) *TopicStats {
	return &TopicStats{w: w, chosen: s, topics: stats.NewTopics(s.Limits)}
}

// Event counts an event.
func (t *TopicStats) Event(e *session.Event) error {
	if !t.chosen.late(e) {
		t.topics.Add(e)
	}
	return nil
}

// Close writes the topics.
func (t *TopicStats) Close(*End) error {
	if t.chosen.Until != nil {
		t.topics.Last = max(t.topics.First, t.chosen.Until())
	}
	out := topicList{}
	for _, x := range t.topics.All() {
		out = append(out, namedTopic{wireText(x.Name), t.topic(x)})
	}
	b, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	_, err = t.w.Write(append(b, '\n'))
	return err
}

// topicList is an object by topic.
type topicList []namedTopic

type namedTopic struct {
	name  wireText
	stats any
}

// MarshalJSON implements json.Marshaler.
func (l topicList) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, t := range l {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := t.name.MarshalJSON()
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(t.stats)
		if err != nil {
			return nil, err
		}
		b = slices.Concat(b, name, []byte{':'}, value)
	}
	return append(b, '}'), nil
}

// The fields have the names that the admin interface of a broker gives them
// (TopicStats, SubscriptionStats, ConsumerStats, PublisherStats).
type (
	adminTopic struct {
		MsgRateIn        float64          `json:"msgRateIn"`
		MsgThroughputIn  float64          `json:"msgThroughputIn"`
		MsgRateOut       float64          `json:"msgRateOut"`
		MsgThroughputOut float64          `json:"msgThroughputOut"`
		BytesInCounter   uint64           `json:"bytesInCounter"`
		MsgInCounter     uint64           `json:"msgInCounter"`
		BytesOutCounter  uint64           `json:"bytesOutCounter"`
		MsgOutCounter    uint64           `json:"msgOutCounter"`
		AverageMsgSize   float64          `json:"averageMsgSize"`
		Publishers       []adminPublisher `json:"publishers"`
		Subscriptions    topicList        `json:"subscriptions"`
	}
	adminPublisher struct {
		MsgRateIn       float64  `json:"msgRateIn"`
		MsgThroughputIn float64  `json:"msgThroughputIn"`
		AverageMsgSize  float64  `json:"averageMsgSize"`
		ProducerID      uint64   `json:"producerId"`
		ProducerName    wireText `json:"producerName,omitempty"`
		Address         string   `json:"address"`
		ConnectedSince  instant  `json:"connectedSince"`
		ClientVersion   wireText `json:"clientVersion,omitempty"`
	}
	adminDelivery struct {
		MsgRateOut       float64 `json:"msgRateOut"`
		MsgThroughputOut float64 `json:"msgThroughputOut"`
		BytesOutCounter  uint64  `json:"bytesOutCounter"`
		MsgOutCounter    uint64  `json:"msgOutCounter"`
		MsgRateRedeliver float64 `json:"msgRateRedeliver"`
		MessageAckRate   float64 `json:"messageAckRate"`
		UnackedMessages  int64   `json:"unackedMessages"`
	}
	adminSubscription struct {
		adminDelivery
		Type      wireText        `json:"type,omitempty"`
		Consumers []adminConsumer `json:"consumers"`
	}
	adminConsumer struct {
		adminDelivery
		ConsumerName     wireText `json:"consumerName,omitempty"`
		AvailablePermits int64    `json:"availablePermits"`
		Address          string   `json:"address"`
		ConnectedSince   instant  `json:"connectedSince"`
		ClientVersion    wireText `json:"clientVersion,omitempty"`
	}
)

func (t *TopicStats) topic(x *stats.Topic) *adminTopic {
	in, out := t.topics.Rate(&x.In), t.topics.Rate(&x.Out)
	r := &adminTopic{MsgRateIn: in.Messages, MsgThroughputIn: in.Bytes, MsgRateOut: out.Messages, MsgThroughputOut: out.Bytes,
		BytesInCounter: x.In.Bytes, MsgInCounter: x.In.Messages, BytesOutCounter: x.Out.Bytes, MsgOutCounter: x.Out.Messages,
		AverageMsgSize: in.Size, Publishers: []adminPublisher{}, Subscriptions: topicList{}}
	for _, p := range x.Publishers() {
		rate := t.topics.Rate(&p.In)
		r.Publishers = append(r.Publishers, adminPublisher{rate.Messages, rate.Bytes, rate.Size, p.ID, wireText(p.Name), p.Address,
			instant(p.Since), wireText(p.Client)})
	}
	for _, s := range x.Subscriptions() {
		r.Subscriptions = append(r.Subscriptions, namedTopic{wireText(s.Name), t.subscription(s)})
	}
	return r
}

func (t *TopicStats) subscription(s *stats.Subscription) *adminSubscription {
	r := &adminSubscription{adminDelivery: t.delivery(&s.Delivery), Type: wireText(s.Type), Consumers: []adminConsumer{}}
	for _, c := range s.Consumers() {
		r.Consumers = append(r.Consumers, adminConsumer{t.delivery(&c.Delivery), wireText(c.Name), c.Permits, c.Address, instant(c.Since),
			wireText(c.Client)})
	}
	return r
}

func (t *TopicStats) delivery(d *stats.Delivery) adminDelivery {
	out := t.topics.Rate(&d.Out)
	return adminDelivery{out.Messages, out.Bytes, d.Out.Bytes, d.Out.Messages, t.topics.Rate(&d.Redelivered).Entries,
		t.topics.Rate(&d.Acked).Messages, d.Unacked}
}
