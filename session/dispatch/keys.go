package dispatch

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
)

// keyOf is what a broker chooses a consumer of a Key_Shared subscription by:
// the ordering key, else the partition key of the entry. Empty: it has neither.
func keyOf(f *decode.Frame) string {
	if !f.HasMetadata {
		return ""
	}
	if k, ok := f.Metadata.Text(wire.Top, field.MessageMetadataOrderingKey); ok && len(k) > 0 {
		return string(k)
	}
	k, _ := f.Metadata.Text(wire.Top, field.MessageMetadataPartitionKey)
	return string(k)
}

// holding is how many open entries of one key each consumer has: nearly always
// one consumer.
type holding struct {
	consumer *Consumer
	entries  int
}

func (s *Subscription) hold(e *Entry) {
	if e.Key == "" {
		return
	}
	list := s.keys[e.Key]
	for i := range list {
		if list[i].consumer == e.Consumer {
			list[i].entries++
			return
		}
	}
	if s.keys == nil {
		s.keys = map[string][]holding{}
	}
	s.keys[e.Key] = append(list, holding{e.Consumer, 1})
}

func (s *Subscription) unhold(e *Entry) {
	if e.Key == "" {
		return
	}
	list := s.keys[e.Key]
	for i := range list {
		if list[i].consumer != e.Consumer {
			continue
		}
		if list[i].entries--; list[i].entries == 0 {
			list = append(list[:i], list[i+1:]...)
		}
		break
	}
	if len(list) == 0 {
		delete(s.keys, e.Key)
		return
	}
	s.keys[e.Key] = list
}

// Holder is a consumer, other than the given one, that has unacknowledged
// entries of a key, and how many; nil if there is none.
func (s *Subscription) Holder(key string, other *Consumer) (c *Consumer, entries int) {
	if key == "" {
		return nil, 0
	}
	for _, h := range s.keys[key] {
		if h.consumer != other && !closedConn(h.consumer.Conn) {
			return h.consumer, h.entries
		}
	}
	return nil, 0
}
