package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
)

// prefix is what all names begin with.
const prefix = "pulsar_dissect_"

// give takes a value of a metric, with the values of its labels.
type give func(value float64, labels ...string)

// family is a metric with its labels.
type family struct {
	name   string
	help   string
	labels []string
	kind   prometheus.ValueType
	rows   func(*snapshot, give)
}

// families has a row for each metric but the histogram.
var families = []family{
	{"build_info", "The version of this program.", []string{"version"}, prometheus.GaugeValue,
		func(s *snapshot, g give) { g(1, s.version) }},
	{"last_event_timestamp_seconds", "Time of the latest packet that something was read of.", nil, prometheus.GaugeValue,
		func(s *snapshot, g give) { g(float64(s.latest) / 1e9) }},
	{"packets_total", "Packets captured.", nil, prometheus.CounterValue,
		func(s *snapshot, g give) { g(float64(s.packets.count)) }},
	{"packet_bytes_total", "Bytes of packets captured.", nil, prometheus.CounterValue,
		func(s *snapshot, g give) { g(float64(s.packets.bytes)) }},
	{"lost_packets_total", "Packets that the kernel, or the interface, had no room for.", []string{"by"}, prometheus.CounterValue,
		func(s *snapshot, g give) {
			for i, n := range s.lost {
				g(float64(n), losers[i])
			}
		}},
	{"connections_open", "Connections that something was read of and that have not ended.", []string{"protocol"}, prometheus.GaugeValue,
		func(s *snapshot, g give) { protocols(&s.open, g) }},
	{"connections_ended_total", "Connections that have ended.", []string{"protocol"}, prometheus.CounterValue,
		func(s *snapshot, g give) { protocols(&s.ended, g) }},
	{"tcp_wrong_checksums_total", "TCP segments with a wrong checksum.", nil, prometheus.CounterValue,
		func(s *snapshot, g give) { g(float64(s.tcp.wrongChecksums + s.openTCP.wrongChecksums)) }},
	{"tcp_retransmitted_total", "TCP segments that came again.", nil, prometheus.CounterValue,
		func(s *snapshot, g give) { g(float64(s.tcp.retransmitted + s.openTCP.retransmitted)) }},
	{"gaps_total", "Stretches of a stream that were not captured.", []string{"cause"}, prometheus.CounterValue,
		func(s *snapshot, g give) { causes(s, g, func(t traffic) uint64 { return t.count }) }},
	{"gap_bytes_total", "Bytes in them.", []string{"cause"}, prometheus.CounterValue,
		func(s *snapshot, g give) { causes(s, g, func(t traffic) uint64 { return t.bytes }) }},
	{"skipped_bytes_total", "Bytes in which no frame was found.", nil, prometheus.CounterValue,
		func(s *snapshot, g give) { g(float64(s.skipped)) }},
	{"frames_total", "Frames of the protocol.", []string{"direction", "type"}, prometheus.CounterValue,
		func(s *snapshot, g give) { frames(s, g, func(t traffic) uint64 { return t.count }) }},
	{"frame_bytes_total", "Bytes of frames.", []string{"direction", "type"}, prometheus.CounterValue,
		func(s *snapshot, g give) { frames(s, g, func(t traffic) uint64 { return t.bytes }) }},
	{"frame_wrong_checksums_total", "Frames with a wrong CRC32-C.", nil, prometheus.CounterValue,
		func(s *snapshot, g give) { g(float64(s.badChecksums)) }},
	{"exchanges_total", "Requests with their responses, and deliveries with their acknowledgements.", []string{"kind", "result"}, prometheus.CounterValue, results},
	{"findings_total", "Findings that were told.", []string{"rule", "severity"}, prometheus.CounterValue,
		func(s *snapshot, g give) {
			for _, f := range s.findings {
				g(float64(f.count), f.rule, f.severity.String())
			}
		}},
	{"sends_total", "SEND commands: entries.", byTopic, prometheus.CounterValue,
		ofTopics(func(t *topic) float64 { return float64(t.sends) })},
	{"sent_messages_total", "Messages in SEND commands.", byTopic, prometheus.CounterValue,
		ofTopics(func(t *topic) float64 { return float64(t.sent) })},
	{"deliveries_total", "MESSAGE commands: entries.", byTopic, prometheus.CounterValue,
		ofTopics(func(t *topic) float64 { return float64(t.deliveries) })},
	{"delivered_messages_total", "Messages in MESSAGE commands that took a permit.", byTopic, prometheus.CounterValue,
		ofTopics(func(t *topic) float64 { return float64(t.delivered) })},
	{"redelivered_messages_total", "Of the delivered messages those that the subscription had got before.", byTopic, prometheus.CounterValue,
		ofTopics(func(t *topic) float64 { return float64(t.redelivered) })},
	{"acknowledged_messages_total", "Messages that were acknowledged.", byTopic, prometheus.CounterValue,
		ofTopics(func(t *topic) float64 { return float64(t.acknowledged) })},
	{"consumers", "Consumers that are there.", byTopic, prometheus.GaugeValue,
		ofTopics(func(t *topic) float64 { return float64(t.consumers) })},
	{"permits_outstanding", "Permits that these consumers granted and the broker has not used; below 0 where a batch went out whole.", byTopic, prometheus.GaugeValue,
		ofTopics(func(t *topic) float64 { return float64(t.permits) })},
	{"unacknowledged_messages", "Messages that these consumers got and have neither acknowledged nor given back.", byTopic, prometheus.GaugeValue,
		ofTopics(func(t *topic) float64 { return float64(t.unacked) })},
}

var byTopic = []string{"topic"}

func ofTopics(value func(*topic) float64) func(*snapshot, give) {
	return func(s *snapshot, g give) {
		for i := range s.topics.rows {
			g(value(&s.topics.rows[i]), s.topics.rows[i].name)
		}
	}
}

func protocols(n *[decode.Unknown + 1]uint64, g give) {
	for p := range n {
		g(float64(n[p]), decode.Protocol(p).String())
	}
}

func causes(s *snapshot, g give, of func(traffic) uint64) {
	for c := range s.gaps {
		g(float64(of(s.gaps[c])), reassembly.Cause(c).String())
	}
}

// frames gives those of the types that were seen.
func frames(s *snapshot, g give, of func(traffic) uint64) {
	for d := range s.frames {
		direction := decode.Direction(d).String()
		for i := range proto.Commands {
			c := &proto.Commands[i]
			if t := s.frames[d][c.Number]; t.count > 0 {
				g(float64(of(t)), direction, c.Name)
			}
		}
		if t := s.frames[d][unknownType]; t.count > 0 {
			g(float64(of(t)), direction, "unknown")
		}
	}
}

// results gives those that were seen.
func results(s *snapshot, g give) {
	for k := range s.exchanges {
		for r, n := range s.exchanges[k].results {
			if n > 0 {
				g(float64(n), session.ExchangeKind(k).String(), session.Result(r).String())
			}
		}
	}
}
