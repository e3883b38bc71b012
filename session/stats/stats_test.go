package stats_test

import (
	"path/filepath"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/session"
	"pulsar-dissect/session/stats"
)

// each gives the events of a capture of testdata.
func each(t *testing.T, name string, take func(*session.Event)) {
	t.Helper()
	source, err := capture.Open([]string{filepath.Join(testkit.Root(t), "testdata", "captures", name, name+".pcap")}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	streams := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{})).Events(source.Packets())
	for e, err := range session.New(session.Options{NoSum: true}).Events(decode.New(decode.Limits{}, nil).Events(streams)) {
		if err != nil {
			t.Fatal(err)
		}
		take(e)
	}
}

func count(t *testing.T, name string, o stats.Options) *stats.Stats {
	t.Helper()
	s := stats.New(o)
	each(t, name, s.Add)
	return s
}

// The client published 16 messages, 8 of them in one batch, and got all.
func TestByTopic(t *testing.T) {
	rows := count(t, "base", stats.Options{}).Rows(stats.OrderName)
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	r := rows[0]
	if r.Topic != "persistent://public/default/orders-small-pd-59365" || r.In.Messages != 16 || r.In.Entries.Entries != 9 || r.In.LargestBatch != 8 ||
		r.In.Batches != 1 || r.Out.Messages != 16 || r.Acked != 16 || r.Errors != 0 || r.Unanswered != 0 || r.RedeliveryRate() != 0 {
		t.Errorf("%+v", r)
	}
	if l := r.Latencies[session.Send]; l == nil || l.Count != 9 || l.Max < l.Percentile(50) {
		t.Errorf("%+v", l)
	}
}

// Each grouping with a row for everything has all frames, and with a row for
// each consumer what that consumer got.
func TestGroupings(t *testing.T) {
	for by, want := range map[stats.By]struct {
		rows   int
		frames uint64
	}{
		stats.ByConnection: {1, 65}, stats.ByClient: {1, 65}, stats.ByCommand: {17, 65}, stats.ByTopic: {1, 39},
		stats.ByProducer: {2, 22}, stats.ByConsumer: {2, 17}, stats.BySubscription: {1, 17},
	} {
		rows := count(t, "base", stats.Options{By: by}).Rows(stats.OrderName)
		if total := stats.Total(rows); len(rows) != want.rows || total.Frames != want.frames {
			t.Errorf("by %s: %d rows, %d frames, expected %+v", by, len(rows), total.Frames, want)
		}
	}
}

// Intervals together are the run: counts add up, and latencies merge.
func TestIntervals(t *testing.T) {
	whole := stats.Total(count(t, "base", stats.Options{By: stats.ByCommand}).Rows(stats.OrderName))
	s := count(t, "base", stats.Options{By: stats.ByCommand, Interval: 10_000_000})
	rows := s.Rows(stats.OrderName)
	parts := stats.Total(rows)
	a, b := whole.Latencies[session.Send], parts.Latencies[session.Send]
	if whole.Frames != parts.Frames || whole.In != parts.In || whole.Out != parts.Out || whole.Acked != parts.Acked {
		t.Errorf("expected %+v, got %+v", whole, parts)
	}
	if a.Count != b.Count || a.Min != b.Min || a.Max != b.Max || a.Percentile(90) != b.Percentile(90) {
		t.Errorf("expected %+v, got %+v", a, b)
	}
	starts := map[int64]bool{}
	for i, r := range rows {
		starts[r.Start] = true
		if i > 0 && r.Start < rows[i-1].Start {
			t.Errorf("row %d is earlier than the one before", i)
		}
		if seconds := s.Seconds(r); seconds < 0 || seconds > 0.01 {
			t.Errorf("row %d lasts %g s", i, seconds)
		}
	}
	if len(starts) < 5 {
		t.Errorf("%d intervals", len(starts))
	}
}

func TestRowsAreBounded(t *testing.T) {
	all := stats.Total(count(t, "base", stats.Options{By: stats.ByCommand}).Rows(stats.OrderName))
	for _, l := range []stats.Limits{{Rows: 3}, {NameBytes: 20}, {Sketches: 1}} {
		s := count(t, "base", stats.Options{By: stats.ByCommand, Limits: l})
		rows := s.Rows("bytes")
		last := rows[len(rows)-1]
		if !last.Others || s.Overflown == 0 {
			t.Errorf("%+v: last row %+v, %d overflown", l, last.Key, s.Overflown)
		}
		if l.Rows > 0 && len(rows) != l.Rows+1 {
			t.Errorf("%+v: %d rows", l, len(rows))
		}
		if got := stats.Total(rows); got.Frames != all.Frames || got.Latencies[session.Request].Count != all.Latencies[session.Request].Count {
			t.Errorf("%+v: %d frames, expected %d", l, got.Frames, all.Frames)
		}
	}
}

func TestOrder(t *testing.T) {
	s := count(t, "base", stats.Options{By: stats.ByCommand})
	for _, by := range stats.Orders {
		if rows := s.Rows(by); by == "frames" && (rows[0].Frames < rows[1].Frames || rows[1].Frames < rows[len(rows)-1].Frames) ||
			by == stats.OrderName && rows[0].Command > rows[1].Command {
			t.Errorf("by %s: %s first", by, rows[0].Command)
		}
	}
}

// at counts topics up to a number of ns after the first event.
func at(t *testing.T, name string, after int64) *stats.Topics {
	t.Helper()
	topics, begin := stats.NewTopics(stats.Limits{}), int64(0)
	each(t, name, func(e *session.Event) {
		if begin == 0 {
			begin = e.At.Time
		}
		if stats.Until(e) <= begin+after {
			topics.Add(e)
		}
	})
	return topics
}

// At its end all is closed and what was counted stays; before it producer and
// consumer are there, with the permits of the FLOW less what was delivered.
func TestTopics(t *testing.T) {
	const soon, late = 30_000_000, 10_000_000_000 // ns
	end := at(t, "base", late).All()
	if len(end) != 1 || end[0].In.Messages != 16 || end[0].Out.Messages != 16 || len(end[0].Publishers()) != 0 {
		t.Fatalf("at the end: %+v", end)
	}
	if s := end[0].Subscriptions(); len(s) != 1 || s[0].Name != "sub-dev" || s[0].Type != "Shared" || s[0].Unacked != 0 || s[0].Acked.Messages != 16 ||
		len(s[0].Consumers()) != 0 {
		t.Errorf("at the end: %+v", s[0])
	}
	topics := at(t, "base", soon)
	x := topics.All()[0]
	p, c := x.Publishers(), x.Subscriptions()[0].Consumers()
	if len(p) != 1 || p[0].Name != "prod-pd-59365" || p[0].Address != "10.99.0.7:53310" || p[0].Client != "Pulsar-CPP-v4.2.0" {
		t.Fatalf("publishers: %+v", p[0].Party)
	}
	if len(c) != 1 || c[0].Name != "cons-pd-59365" || c[0].Permits+int64(c[0].Out.Messages) != 1000 ||
		c[0].Unacked != int64(c[0].Out.Messages-c[0].Acked.Messages) {
		t.Errorf("consumers: %+v", c)
	}
	if r := topics.Rate(&p[0].In); r.Messages <= 0 || r.Size <= 0 || r.Bytes < r.Messages*r.Size*0.999 || r.Bytes > r.Messages*r.Size*1.001 {
		t.Errorf("rate %+v", r)
	}
}

func TestTopicsAreBounded(t *testing.T) {
	topics := stats.NewTopics(stats.Limits{Entities: 3})
	each(t, "ack", topics.Add)
	n := 0
	for _, x := range topics.All() {
		n += 1 + len(x.Subscriptions())
	}
	if n > 3 || topics.Overflown == 0 {
		t.Errorf("%d topics and subscriptions, %d overflown", n, topics.Overflown)
	}
}
