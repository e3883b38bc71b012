package metrics

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"pulsar-dissect/decode"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
)

// scraped are the lines of a scrape, without comments.
func scraped(t *testing.T, r *Recorder) (lines []string) {
	t.Helper()
	w := httptest.NewRecorder()
	r.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatal(w.Code, w.Body)
	}
	for line := range strings.Lines(w.Body.String()) {
		if line[0] != '#' {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

func someConn() *session.Conn {
	return &session.Conn{Conn: &decode.Conn{Protocol: decode.Pulsar, TCP: &reassembly.Conn{}}}
}

func permits(c *session.Conn, topic string) *session.Event {
	return &session.Event{Kind: session.PermitsChanged, Conn: c, Consumer: &session.Consumer{Topic: topic}, Permits: &session.Permits{N: 1, Flow: true}}
}

// Topics beyond the limit are added up, and a name that is no UTF-8 spoils nothing.
func TestTopics(t *testing.T) {
	r := New(Options{Limits: Limits{Topics: 2}})
	for _, topic := range []string{"a\xff", "b", "c", "b", "d"} {
		e := permits(someConn(), topic)
		e.Permits.Flow = false
		r.counts.add(e)
	}
	r.publish(time.Time{})
	all := scraped(t, r)
	for _, want := range []string{`{topic="a` + "\uFFFD" + `"} 1`, `{topic="b"} 2`, `{topic="other"} 2`} {
		if !slices.Contains(all, "pulsar_dissect_delivered_messages_total"+want) {
			t.Errorf("no %s in %q", want, all)
		}
	}
	if n := strings.Count(strings.Join(all, "\n"), "pulsar_dissect_delivered_messages_total"); n != 3 {
		t.Errorf("%d topics", n)
	}
}

// What consumers hold is told of those that are there, and is gone with them.
func TestHeld(t *testing.T) {
	r, c := New(Options{}), someConn()
	c.Consumers = map[uint64]*session.Consumer{
		1: {Topic: "a", Known: true, Granted: 10, Used: 3},
		2: {Topic: "a", Known: true, Granted: 5, Used: 1, Phase: session.Opened},
		3: {Topic: "a", Known: true, Granted: 100, Phase: session.Ended},
		4: {Topic: "a", Granted: 100},
	}
	for _, step := range []struct {
		kind                     session.Kind
		open, consumers, permits int
	}{{session.GapSeen, 1, 3, 11}, {session.ConnectionEnd, 0, 0, 0}} {
		r.Add(&session.Event{Kind: step.kind, Conn: c})
		r.publish(time.Time{})
		all := scraped(t, r)
		for _, want := range []string{
			fmt.Sprintf(`pulsar_dissect_connections_open{protocol="pulsar"} %d`, step.open),
			fmt.Sprintf(`pulsar_dissect_consumers{topic="a"} %d`, step.consumers),
			fmt.Sprintf(`pulsar_dissect_permits_outstanding{topic="a"} %d`, step.permits),
		} {
			if !slices.Contains(all, want) {
				t.Errorf("no %s in %q", want, all)
			}
		}
	}
}

// A snapshot does not change with what comes after it.
func TestSnapshot(t *testing.T) {
	r := New(Options{})
	event := permits(someConn(), "a")
	event.Permits.Flow = false
	r.counts.add(event)
	r.publish(time.Time{})
	before := scraped(t, r)
	r.counts.add(event)
	r.counts.exchange(&session.Event{Exchange: &session.Exchange{HasRequest: true, HasResponse: true}})
	if after := scraped(t, r); !slices.Equal(before, after) {
		t.Errorf("%q became %q", before, after)
	}
}

// Adding events allocates nothing once their topics are known.
func TestAllocations(t *testing.T) {
	r := New(Options{})
	c := someConn()
	exchange := &session.Event{Kind: session.ExchangeSeen, Conn: c, Exchange: &session.Exchange{HasRequest: true, HasResponse: true}}
	delivery := permits(c, "a")
	delivery.Permits.Flow = false
	if n := testing.AllocsPerRun(100, func() { r.counts.add(exchange); r.counts.add(delivery) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// Buckets hold what is not above their upper end; a time below 0 counts as 0.
func TestHistogram(t *testing.T) {
	var h histogram
	for _, ns := range []int64{-5, 1e6, 1e6 + 1, 61e9} {
		h.add(ns)
	}
	got := h.upTo()
	for end, want := range map[float64]uint64{0.0005: 1, 0.001: 2, 0.0025: 3, 60: 3} {
		if got[end] != want {
			t.Errorf("%d up to %v s, want %d", got[end], end, want)
		}
	}
	if h.count != 4 || h.sum != 61_002_000_001 {
		t.Errorf("%d of %d ns", h.count, h.sum)
	}
}
