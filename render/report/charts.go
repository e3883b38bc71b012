package report

import (
	"bytes"
	"encoding/json"
	"time"

	"pulsar-dissect/session"
)

// charts counts all events of a run over time.
type charts struct {
	axis       axis
	last       int64 // time of the last event, ns since the Unix epoch
	activity   activity
	latencies  latencies
	throughput throughput
	permits    permits
}

func newCharts() charts {
	return charts{
		latencies:  latencies{of: map[asked]*series[spread, *spread]{}},
		throughput: throughput{of: map[string]*series[flows, *flows]{}},
		permits:    permits{of: map[consumerKey]*allowance{}},
	}
}

// add counts an event.
func (c *charts) add(e *session.Event) {
	c.last = max(c.last, e.At.Time)
	switch e.Kind {
	case session.FrameSeen:
		c.activity.add(&c.axis, e)
		c.throughput.add(&c.axis, e)
	case session.BookieSeen:
		c.activity.add(&c.axis, e)
	case session.ExchangeSeen:
		c.latencies.add(&c.axis, e)
	case session.PermitsChanged:
		c.permits.add(&c.axis, e)
	}
}

// chartsRecord is what the charts of the page are drawn from.
type chartsRecord struct {
	Kind    string           `json:"kind"`
	Start   string           `json:"start"`
	Last    string           `json:"last"`
	Width   int64            `json:"bin_ns"`
	Bounds  []float64        `json:"buckets_ns"`
	Frames  activityRecord   `json:"frames"`
	Latency []latencyRecord  `json:"latency"`
	Topics  []topicRecord    `json:"topics"`
	Permits []permitsRecord  `json:"permits"`
	Kept    map[string]*kept `json:"kept"`
	Version string           `json:"version"`
}

func (c *charts) record() *chartsRecord {
	c.axis.bin(c.last)
	return &chartsRecord{
		Kind: "charts", Start: stamp(c.axis.start), Last: stamp(c.last), Width: c.axis.width(), Bounds: bucketBounds(),
		Frames:  c.activity.record(&c.axis),
		Latency: c.latencies.records(&c.axis),
		Topics:  c.throughput.records(&c.axis),
		Permits: c.permits.records(&c.axis),
		Kept:    map[string]*kept{"latencies": &c.latencies.kept, "topics": &c.throughput.kept, "permits": &c.permits.kept},
	}
}

func stamp(ns int64) string { return time.Unix(0, ns).UTC().Format("2006-01-02T15:04:05.000000000Z") }

// encode gives the JSON of a record, in which no "<" is left.
func encode(record any) []byte {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(record); err != nil {
		panic(err) // cannot be: all fields have a JSON form
	}
	return appendHarmless(nil, bytes.TrimSpace(b.Bytes()))
}
