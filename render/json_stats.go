package render

import (
	"cmp"
	"encoding/json"

	"pulsar-dissect/session"
	"pulsar-dissect/session/stats"
	"pulsar-dissect/session/summary"
)

type countedRecord struct {
	Kind         string   `json:"kind"`
	By           string   `json:"by"`
	Time         instant  `json:"time"`
	Seconds      float64  `json:"seconds"`
	Topic        wireText `json:"topic,omitempty"`
	Subscription wireText `json:"subscription,omitempty"`
	Producer     wireText `json:"producer,omitempty"`
	Consumer     wireText `json:"consumer,omitempty"`
	Conn         wireText `json:"conn,omitempty"`
	ConnID       *int     `json:"conn_id,omitempty"`
	Client       wireText `json:"client_version,omitempty"`
	Command      string   `json:"command,omitempty"`
	Others       bool     `json:"others,omitempty"`

	Frames         uint64                        `json:"frames"`
	FrameBytes     uint64                        `json:"frame_bytes"`
	Sent           *flowRecord                   `json:"sent,omitempty"`
	Delivered      *flowRecord                   `json:"delivered,omitempty"`
	Redelivered    uint64                        `json:"redelivered"`
	RedeliveryRate float64                       `json:"redelivery_rate"`
	Acked          uint64                        `json:"acked"`
	OK             uint64                        `json:"ok"`
	Errors         uint64                        `json:"errors"`
	Unanswered     uint64                        `json:"unanswered"`
	Latency        map[string]*percentilesRecord `json:"latency_ns,omitempty"`
}

type flowRecord struct {
	entriesRecord
	Batches      uint64  `json:"batches"`
	LargestBatch uint64  `json:"largest_batch"`
	BatchSize    float64 `json:"batch_size"`
	Compression  float64 `json:"compression_ratio,omitempty"`
	Rate         float64 `json:"messages_per_second"`
	Throughput   float64 `json:"bytes_per_second"`
}

// percentilesRecord is in ns.
type percentilesRecord struct {
	latencyRecord
	P999 int64 `json:"p99.9"`
}

// records writes the rows as JSON Lines, or as rows of cells.
func (s *Stats) records(rows []*stats.Row) error {
	table := newCellTable(&s.options, "stats")
	if s.options.Format.IsCells() {
		if _, err := s.w.Write(table.head()); err != nil {
			return err
		}
	}
	for _, r := range rows {
		b, err := json.Marshal(s.record(r))
		if err != nil {
			return err
		}
		b = append(b, '\n')
		if s.options.Format.IsCells() {
			b = table.row(b, nil)
		}
		if _, err := s.w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stats) record(r *stats.Row) *countedRecord {
	seconds := s.stats.Seconds(r)
	x := &countedRecord{Kind: "stats", By: string(s.stats.By()), Time: instant(max(r.Start, s.stats.First)), Seconds: seconds,
		Topic: wireText(r.Topic), Subscription: wireText(r.Subscription), Producer: nameIn(r, r.Producer), Consumer: nameIn(r, r.Consumer),
		Conn: wireText(r.Conn), Client: wireText(r.Client), Command: r.Command, Others: r.Others,
		Frames: r.Frames, FrameBytes: r.FrameBytes, Redelivered: r.Redelivered, RedeliveryRate: r.RedeliveryRate(), Acked: r.Acked,
		OK: r.OK, Errors: r.Errors, Unanswered: r.Unanswered, Sent: flowOf(&r.In, seconds), Delivered: flowOf(&r.Out, seconds)}
	if r.ConnID >= 0 {
		x.ConnID = &r.ConnID
	}
	for kind, l := range r.Latencies {
		if l != nil {
			if x.Latency == nil {
				x.Latency = map[string]*percentilesRecord{}
			}
			x.Latency[session.ExchangeKind(kind).String()] = percentilesOf(l)
		}
	}
	return x
}

// nameIn is the name of a row's producer or consumer, or its id where it has
// none.
func nameIn(r *stats.Row, id string) wireText {
	if id == "" {
		return ""
	}
	return wireText(cmp.Or(r.Name, id))
}

func percentilesOf(l *summary.Latencies) *percentilesRecord {
	return &percentilesRecord{*latencyOf(l), l.Percentile(99.9)}
}

// flowOf is nil where nothing flowed.
func flowOf(f *stats.Flow, seconds float64) *flowRecord {
	if f.Entries.Entries == 0 {
		return nil
	}
	r := &flowRecord{entriesRecord: entriesOf(f.Entries), Batches: f.Batches, LargestBatch: f.LargestBatch, BatchSize: f.BatchSize(),
		Compression: f.Compression()}
	if seconds > 0 {
		r.Rate, r.Throughput = float64(f.Messages)/seconds, float64(f.Bytes)/seconds
	}
	return r
}
