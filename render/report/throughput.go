package report

import (
	"maps"
	"slices"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
	"pulsar-dissect/session/summary"
)

// flows counts messages and bytes of payload of a bin by direction: sent and
// delivered.
type flows struct {
	messages, bytes [2]uint64
}

func (f *flows) merge(later *flows) {
	for d := range f.messages {
		f.messages[d] += later.messages[d]
		f.bytes[d] += later.bytes[d]
	}
}

// throughput is that of each topic over time.
type throughput struct {
	of   map[string]*series[flows, *flows]
	rest series[flows, *flows] // of topics beyond keptTopics
	kept kept
}

func (t *throughput) add(a *axis, e *session.Event) {
	f := e.Frame
	isEntry := f.Type == int32(pb.BaseCommand_SEND) || f.Type == int32(pb.BaseCommand_MESSAGE)
	if !isEntry || e.Producer == nil && e.Consumer == nil {
		return
	}
	n := t.topic(e.Topic()).at(a, e.At.Time)
	n.messages[f.Direction] += summary.Messages(f)
	n.bytes[f.Direction] += uint64(len(f.Payload))
}

func (t *throughput) topic(name string) *series[flows, *flows] {
	s := t.of[name]
	if s == nil {
		if !t.kept.take(keptTopics) {
			return &t.rest
		}
		s = &series[flows, *flows]{}
		t.of[name] = s
	}
	return s
}

// flowRecord is the number of messages and of bytes of payload in each bin.
type flowRecord struct {
	Messages []uint64 `json:"messages"`
	Bytes    []uint64 `json:"bytes"`
}

// topicRecord is the throughput of a topic, or of all that have no record.
type topicRecord struct {
	Topic     string     `json:"topic"`
	Others    bool       `json:"others,omitempty"`
	Produced  flowRecord `json:"produced"`
	Delivered flowRecord `json:"delivered"`
}

func (t *throughput) records(a *axis) []topicRecord {
	list := make([]topicRecord, 0, len(t.of)+1)
	for _, name := range slices.Sorted(maps.Keys(t.of)) {
		list = append(list, topicOf(name, t.of[name], a))
	}
	if len(t.rest.bins) > 0 {
		others := topicOf("", &t.rest, a)
		others.Others = true
		list = append(list, others)
	}
	return list
}

func topicOf(name string, s *series[flows, *flows], a *axis) topicRecord {
	of := func(d decode.Direction) flowRecord {
		return flowRecord{
			values(s, a, func(f *flows) uint64 { return f.messages[d] }),
			values(s, a, func(f *flows) uint64 { return f.bytes[d] }),
		}
	}
	return topicRecord{Topic: name, Produced: of(decode.ClientToServer), Delivered: of(decode.ServerToClient)}
}
