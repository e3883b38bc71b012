package render

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/session"
	"pulsar-dissect/session/summary"
)

// brokerEntry appends what the broker added to an entry, and how long after its
// publishing that was.
func (j *JSON) brokerEntry(dst []byte, f *decode.Frame) []byte {
	if f == nil || !f.HasBrokerEntry {
		return dst
	}
	dst = append(dst, `,"broker_entry_metadata":`...)
	dst = f.BrokerEntry.AppendJSON(dst, wire.Top, &j.wire)
	if ms, ok := session.BrokerDelay(f); ok {
		dst = number(dst, `,"broker_delay":`, ms)
	}
	return dst
}

// bothClocks warns of what a delay between two machines is worth.
const bothClocks = "From publish_time to broker_timestamp: the clocks of the producer and of the broker both take part, so what they differ by is in it."

// brokerDelayRecord is in ns, from values in ms.
type brokerDelayRecord struct {
	Latency *latencyRecord `json:"latency_ns"`
	Note    string         `json:"note"`
}

func brokerDelayOf(s *summary.Summary) *brokerDelayRecord {
	if s.BrokerDelay.Count == 0 {
		return nil
	}
	return &brokerDelayRecord{latencyOf(&s.BrokerDelay), bothClocks}
}
