package tui

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"pulsar-dissect/decode"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// many is how many events come in the tests of what is bounded.
const many = 1_000_000

// repeated feeds the first SEND of a capture so many times.
func repeated(t testing.TB, n int, l Limits) *Feed {
	return fed(t, "mixed", l, func(f *Feed, e *session.Event) {
		if e.Kind != session.FrameSeen || !e.Frame.Is(int32(pb.BaseCommand_SEND)) {
			return
		}
		was := e.Offset
		for ; n > 0; n-- {
			e.Offset++
			if err := f.Event(e); err != nil {
				t.Fatal(err)
			}
		}
		e.Offset = was
	})
}

// However many events there are, so many are kept, and a screen is as much work.
func TestBounded(t *testing.T) {
	const kept = 10 * blockSize
	few, lots := repeated(t, 2*blockSize, Limits{Events: kept}), repeated(t, many, Limits{Events: kept})
	s := lots.Latest()
	if s.Frames < many || s.Events.End < many {
		t.Fatalf("%d frames, %d lines", s.Frames, s.Events.End)
	}
	if n := s.Events.End - s.Events.First; n > kept+blockSize || len(s.Events.blocks) > kept/blockSize+1 {
		t.Errorf("%d lines are kept in %d blocks", n, len(s.Events.blocks))
	}
	work := func(f *Feed) float64 {
		m := newModel(f)
		press(m, "6")
		return testing.AllocsPerRun(10, func() { m.View() })
	}
	if a, b := work(few), work(lots); b > 1.2*a+10 || b > 1500 {
		t.Errorf("%v allocations for a screen of few events, %v of many", a, b)
	}
}

// What a screen shows is not kept longer than it is shown.
func TestLetGo(t *testing.T) {
	f := repeated(t, 30*blockSize, Limits{Events: blockSize})
	m := newModel(f)
	press(m, "6")
	l := m.page().(*list)
	if n := len(l.numbers); n > 2*blockSize || l.numbers[0] < l.entries.First {
		t.Errorf("%d numbers from %d, entries from %d", n, l.numbers[0], l.entries.First)
	}
}

// Of frames that cannot be read again the latest are kept, whole.
func TestRecent(t *testing.T) {
	const limit = 10_000
	r := newRecent(limit)
	sizes, last := map[Place]int{}, Place{}
	fed(t, "flow", Limits{}, func(_ *Feed, e *session.Event) {
		if e.Kind != session.FrameSeen {
			return
		}
		r.add(e)
		r.add(e) // once more is no more
		sum := 0
		for _, b := range r.frames {
			sum += len(b)
		}
		if sum != r.held || sum > limit || len(r.order) != len(r.frames) {
			t.Fatalf("%d bytes of %d frames, %d noted of %d", sum, len(r.frames), r.held, len(r.order))
		}
		last = placeOf(e)
		sizes[last] = len(e.Frame.Bytes)
	})
	if r.held < limit/2 || len(r.frames[last]) != sizes[last] {
		t.Errorf("%d bytes are held, %d of the last frame", r.held, len(r.frames[last]))
	}
	huge := &session.Event{Conn: &session.Conn{Conn: &decode.Conn{ID: 1000}}, Frame: &decode.Frame{Bytes: make([]byte, limit+1)}}
	if r.add(huge); len(r.frames[last]) != sizes[last] {
		t.Error("a frame that has no room takes that of others")
	}
}

// Rows of producers and connections are bounded, and it is told that some are
// missing.
func TestRows(t *testing.T) {
	s := fed(t, "mixed", Limits{Rows: 2}, nil).Latest()
	if len(s.Producers) > 2 || len(s.Connections) > 2 || len(s.Consumers) > 4 {
		t.Errorf("%d producers, %d connections, %d consumers", len(s.Producers), len(s.Connections), len(s.Consumers))
	}
	if s.Unlisted == 0 || !strings.Contains(newModel(fed(t, "mixed", Limits{Rows: 2}, nil)).View().Content, "too many") {
		t.Error("it is not told")
	}
}

// Looking for a row to forget is not repeated at each event.
func TestFull(t *testing.T) {
	var x full
	tries := 0
	for seen := range uint64(2 * lookAgain) {
		if x.room(seen, func() bool { tries++; return false }) {
			t.Fatal("there is room")
		}
	}
	if tries != 2 || !x.room(2*lookAgain, func() bool { return true }) {
		t.Errorf("%d tries", tries)
	}
}

// Percentiles are of the latest, exact.
func TestLatest(t *testing.T) {
	var l latest
	for ns := range int64(1000) {
		l.add(ns + 1)
	}
	d := l.all()
	if len(l.ring) != latencies || d.Min != 1000-latencies+1 || d.Percentile(99) != 998 {
		t.Errorf("%d kept, from %d, p99 %d", len(l.ring), d.Min, d.Percentile(99))
	}
}

// Snapshots come no more often than they should, and cost no more than their
// share of the time.
func TestRate(t *testing.T) {
	for _, c := range []struct {
		cost time.Duration // of a snapshot
		most uint64        // within 10 s
	}{{0, 11}, {100 * time.Millisecond, 6}} {
		f := NewFeed(Options{Every: time.Second})
		now := time.Unix(0, 0)
		f.now = func() time.Time { return now }
		e := &session.Event{Kind: session.PermitsChanged, Conn: &session.Conn{}, Permits: &session.Permits{}}
		for range 10_000 {
			for range lookEvery {
				made := f.state.Number
				now = now.Add(time.Millisecond / lookEvery)
				if err := f.Event(e); err != nil {
					t.Fatal(err)
				}
				if f.state.Number > made {
					f.cost = c.cost
					f.due = now.Add(max(f.every, share*f.cost))
				}
			}
		}
		if f.state.Number == 0 || f.state.Number > c.most {
			t.Errorf("%d snapshots that take %v each", f.state.Number, c.cost)
		}
	}
}

// A snapshot is not changed by what comes later, which the race detector sees as
// well.
func TestSnapshotStays(t *testing.T) {
	seen := make(chan string)
	f := fed(t, "flow", Limits{Events: 1}, func(f *Feed, e *session.Event) {
		if e.Kind != session.FrameSeen || f.state.Frames%100 != 0 {
			return
		}
		f.publish(f.now())
		m := newModel(f)
		press(m, "6")
		was := m.View().Content
		go func() {
			runtime.Gosched()
			if m.View().Content != was {
				was = "changed"
			}
			seen <- was
		}()
	})
	for range f.Latest().Frames / 100 {
		if <-seen == "changed" {
			t.Error("a snapshot has changed")
		}
	}
}

// Nothing that a terminal could obey comes from a capture or from messages.
func TestHarmless(t *testing.T) {
	const evil = "\x1b]0;evil\x07\x9b31m\u202eno"
	f := fed(t, "mixed", Limits{}, func(_ *Feed, e *session.Event) {
		if e.Producer != nil {
			e.Producer.Name, e.Producer.Topic = evil, "persistent://public/default/"+evil
		}
		if e.Consumer != nil {
			e.Consumer.Name, e.Consumer.Subscription = evil, evil
		}
		e.Conn.ClientVersion = evil
	})
	f.Tell(evil)
	f.publish(f.now())
	m := New(Run{Name: evil, Feed: f})
	for _, keys := range [][]string{{"1"}, {"1", "enter"}, {"2"}, {"2", "enter"}, {"3"}, {"3", "enter"}, {"4"}, {"4", "enter"}, {"4", "enter", "down", "enter"}, {"5"}, {"5", "enter"}, {"6"}, {"N"}, {"/"}} {
		press(m, keys...)
		if i := strings.IndexFunc(m.View().Content, func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == '\u202e' }); i >= 0 {
			t.Errorf("%v: %q", keys, m.View().Content[max(0, i-20):i+10])
		}
	}
}

// While nothing comes, what is open gets older, and nothing else changes: the next
// event finds all as it was.
func TestFeedIdle(t *testing.T) {
	aged := 0
	f := fed(t, "mixed", Limits{}, func(f *Feed, e *session.Event) {
		if aged > 0 || f.state.Frames < 100 {
			return
		}
		f.publish(f.now())
		was := f.Latest()
		f.due = time.Time{} // a snapshot may be made
		if err := f.Idle(was.Last + int64(12*time.Second)); err != nil {
			t.Fatal(err)
		}
		s := f.Latest()
		if quiet := s.Now - s.Last; quiet != int64(12*time.Second) || s.Last != was.Last || was.Now != was.Last {
			t.Errorf("nothing for %d ns, since %d; before, %d at %d", quiet, s.Last, was.Last, was.Now)
		}
		for i, c := range s.Connections {
			aged++
			if c.Open && c.Quiet != was.Connections[i].Quiet+int64(12*time.Second) {
				t.Errorf("connection %d: quiet for %d ns, before %d", c.ID, c.Quiet, was.Connections[i].Quiet)
			}
		}
		for i, c := range s.Consumers {
			aged++
			if old := was.Consumers[i].Age; old > 0 && c.Age != old+int64(12*time.Second) {
				t.Errorf("consumer %d: %d ns, before %d", c.ID, c.Age, old)
			}
		}
		m := newModel(f)
		if !strings.Contains(m.View().Content, ", nothing for 12s") {
			t.Error("the screen does not say for how long nothing has come")
		}
	})
	if s := f.Latest(); s.Now != s.Last || aged == 0 {
		t.Errorf("it is %d, the latest event was at %d", s.Now, s.Last)
	}
}

// A finding that was told so far gives way to what packets show.
func TestFeedFindings(t *testing.T) {
	f := NewFeed(Options{})
	rule := &diagnose.Rule{Name: "some-rule"}
	sure := &diagnose.Finding{Rule: rule, Title: "a", Severity: diagnose.Error}
	for _, x := range []*diagnose.Finding{{Rule: rule, Title: "b"}, {Rule: rule, Title: "a", SoFar: true}, sure, sure} {
		if err := f.Found(x); err != nil {
			t.Fatal(err)
		}
	}
	if len(f.findings) != 2 || f.findings[1] != sure {
		t.Errorf("%+v", f.findings)
	}
}
