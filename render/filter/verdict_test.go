package filter

import (
	"path/filepath"
	"testing"

	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/session"
)

type given struct{ flag, value string }

func filterOf(t *testing.T, conditions []given) *Filter {
	t.Helper()
	f := &Filter{}
	for _, c := range conditions {
		if err := f.Add(c.flag, c.value, false); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// Expressions go over records that are made of no event; all other conditions
// are left to the events of the connection.
func TestMatchRecord(t *testing.T) {
	const record = `{"kind":"finding","rule":"ack-hole","severity":"warning","subject":{"topic":"a"},"count":3}` + "\n"
	for _, v := range []struct {
		conditions         []given
		match, places, any bool
	}{
		{nil, true, false, false},
		{[]given{{"filter", `kind == "finding" && count > 2`}}, true, false, false},
		{[]given{{"filter", `kind == "finding" && count > 3`}}, false, false, false},
		{[]given{{"filter", `subject.topic == "a"`}}, true, false, false},
		{[]given{{"filter", `latency_ns > 5`}}, false, false, false},
		{[]given{{"topic", "b"}}, true, true, false},
		{[]given{{"topic", "b"}, {"filter", `rule == "ack-hole"`}}, true, true, false},
		{[]given{{"conn", "1"}, {"type", "SEND"}}, true, true, true},
	} {
		f := filterOf(t, v.conditions)
		if got := f.MatchRecord([]byte(record)); got != v.match {
			t.Errorf("%v: matches: %v", v.conditions, got)
		}
		if f.HasPlaces() != v.places || f.OnlyFrames() != v.any {
			t.Errorf("%v: places %v, only frames %v", v.conditions, f.HasPlaces(), f.OnlyFrames())
		}
		if d := f.Doubts(); d.Records != 0 {
			t.Errorf("%v: %v", v.conditions, d.First)
		}
	}
}

// A cut record is no match, and does not stop the next.
func TestMatchRecordThatIsNone(t *testing.T) {
	f := filterOf(t, []given{{"filter", `count == 1`}})
	for line, want := range map[string]bool{``: false, `{"count":`: false, `{"count":1`: false, `{"count":1}`: true, `[]`: false} {
		if got := f.MatchRecord([]byte(line)); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

// Places are met by events, whatever expressions say.
func TestMatchPlace(t *testing.T) {
	base := filepath.Join(testkit.Root(t), "testdata", "captures", "base", "base.pcap")
	for _, v := range []struct {
		conditions []given
		want       bool
	}{
		{[]given{{"topic", "orders-small-pd-59365"}, {"filter", `kind == "nothing"`}}, true},
		{[]given{{"topic", "other"}}, false},
		{[]given{{"conn", "0"}}, true},
		{[]given{{"conn", "1"}}, false},
	} {
		f, met := filterOf(t, v.conditions), false
		each(t, base, f, func(e *session.Event) { met = met || f.MatchPlace(e) })
		if met != v.want {
			t.Errorf("%v: %v", v.conditions, met)
		}
	}
}

// A topic alone meets the conditions on topics, and all others.
func TestMatchTopic(t *testing.T) {
	f := filterOf(t, []given{{"topic", "orders"}, {"conn", "7"}, {"type", "SEND"}})
	for topic, want := range map[string]bool{"persistent://public/default/orders": true, "persistent://public/default/orders-partition-3": true, "persistent://public/default/other": false, "": false} {
		if f.MatchTopic(topic) != want {
			t.Errorf("%q: %v", topic, !want)
		}
	}
}
