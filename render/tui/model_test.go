package tui

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"pulsar-dissect/render"
	"pulsar-dissect/session/trace"
)

var update = flag.Bool("update", false, "write the golden files anew")

// goldens are screens of 80 columns and 24 lines, by the keys that lead there.
var goldens = []struct {
	name, capture string
	keys          []string
}{
	{"topics", "flow", nil},
	{"topics-sorted", "mixed", []string{"s", "s", "r"}},
	{"consumers", "flow", []string{"2"}},
	{"producers", "mixed", []string{"3"}},
	{"connections", "mixed", []string{"4"}},
	{"connection", "mixed", []string{"4", "down", "enter"}},
	{"consumer", "mixed", []string{"4", "down", "enter", "end", "enter", "home"}},
	{"findings", "producer-errors", []string{"5"}},
	{"finding", "producer-errors", []string{"5", "enter"}},
	{"evidence", "producer-errors", []string{"5", "enter", "enter"}},
	{"events", "mixed", []string{"6", "home", "down", "down"}},
	{"gaps", "cap-gap3", []string{"6", "/", "m", "i", "s", "s", "i", "n", "g", "enter"}},
	{"find", "mixed", []string{"6", "/", "S", "E", "N", "D", "_", "enter"}},
	{"help", "flow", []string{"?"}},
}

func TestScreens(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			m := newModel(fed(t, g.capture, Limits{}, nil))
			press(m, g.keys...)
			golden(t, filepath.Join("testdata", "golden", g.name+".txt"), m.View().Content)
		})
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	lines := strings.Split(got, "\n")
	if len(lines) != usualHeight {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if n := render.Columns(line); n > usualWidth {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got+"\n" {
		t.Errorf("differs (go test ./render/tui -update writes it anew)\nwant\n%s\ngot\n%s", want, got)
	}
}

// Rows are sorted by columns that are shown, each in its turn.
func TestSortShown(t *testing.T) {
	m := newModel(fed(t, "mixed", Limits{}, nil))
	press(m, "2")
	seen := map[string]bool{}
	for range 20 {
		heads := strings.Split(m.View().Content, "\n")[2]
		if strings.Count(heads, "▲")+strings.Count(heads, "▼") != 1 {
			t.Fatalf("it is not told by what rows are sorted: %s", heads)
		}
		seen[heads] = true
		press(m, "s")
	}
	if len(seen) != 7 {
		t.Errorf("sorted in %d ways", len(seen))
	}
}

// Esc leads back, each time one page, and no further than the tab.
func TestBack(t *testing.T) {
	m := newModel(fed(t, "mixed", Limits{}, nil))
	press(m, "4")
	tab := m.View().Content
	press(m, "enter")
	opened := m.View().Content
	press(m, "enter", "esc")
	if m.View().Content != opened {
		t.Error("not back at the connection")
	}
	press(m, "esc", "esc")
	if m.View().Content != tab {
		t.Error("not back at the tab")
	}
}

// The screen fits any terminal.
func TestResize(t *testing.T) {
	m := newModel(fed(t, "mixed", Limits{}, nil))
	for _, size := range [][2]int{{200, 60}, {80, 24}, {40, 10}, {20, 5}, {10, 3}, {1, 1}, {0, 0}, {80, 24}} {
		m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		for _, keys := range []string{"1", "2", "3", "4", "5", "6", "?", "end", "/"} {
			press(m, keys)
			lines := strings.Split(m.View().Content, "\n")
			if len(lines) != max(size[1], 1) {
				t.Errorf("%v: %d lines at %s", size, len(lines), keys)
			}
			for _, line := range lines {
				if n := render.Columns(line); n > max(size[0], 1) {
					t.Errorf("%v: %d columns at %s: %q", size, n, keys, line)
				}
			}
		}
		press(m, "esc", "esc")
	}
}

// A paused screen stays as it is, whatever comes; the feed goes on.
func TestPause(t *testing.T) {
	f := fed(t, "flow", Limits{}, nil)
	m := newModel(f)
	press(m, "6", "p")
	was := m.snapshot
	f.state.Ended = false
	f.publish(f.now())
	m.Update(tick{})
	if m.snapshot != was || !strings.Contains(m.View().Content, "PAUSED") {
		t.Error("the screen has changed")
	}
	press(m, "p")
	if m.snapshot == was || m.snapshot != f.Latest() {
		t.Error("the latest is not shown")
	}
}

// What is not kept is read again, by the place of the event.
func TestActions(t *testing.T) {
	var at Place
	var want trace.Want
	var written map[Place]bool
	var path, expression string
	m := newModel(fed(t, "mixed", Limits{}, nil))
	m.run.Actions = Actions{
		Frame: func(_ context.Context, p Place, _ render.Options) (string, error) { at = p; return "the bytes", nil },
		Follow: func(_ context.Context, w trace.Want, _ render.Options) (string, error) {
			want = w
			return "", errors.New("no \x1b[31mway")
		},
		Export: func(_ context.Context, places map[Place]bool, to string) (string, error) {
			written, path = places, to
			return "wrote it", nil
		},
		Filter: func(_ context.Context, text string) (*Feed, error) { expression = text; return nil, nil },
	}
	press(m, "6", "/")
	typed(m, "SEND ")
	press(m, "enter", "home", "enter")
	if text := m.View().Content; !strings.Contains(text, "the bytes") || at.Offset == 0 {
		t.Errorf("no frame of %v in\n%s", at, text)
	}
	press(m, "esc", "t")
	if text := m.View().Content; !strings.Contains(text, `no \x1b[31mway`) || want.Sequence == nil || want.Producer == "" {
		t.Errorf("no error of %v in\n%s", want, text)
	}
	press(m, "e")
	typed(m, "out.jsonl")
	press(m, "enter")
	if text := m.View().Content; !strings.Contains(text, "wrote it") || path != "out.jsonl" || !written[at] {
		t.Errorf("%d frames to %q in\n%s", len(written), path, text)
	}
	press(m, "f")
	typed(m, "size > 1")
	press(m, "enter")
	if text := m.View().Content; !strings.Contains(text, "filter: size > 1") || expression != "size > 1" {
		t.Errorf("filter %q in\n%s", expression, text)
	}
}

// A list begins anew with another run, however many events that has.
func TestAnotherRun(t *testing.T) {
	short, long := fed(t, "base", Limits{}, nil), fed(t, "mixed", Limits{}, nil)
	for _, feeds := range [][2]*Feed{{short, long}, {long, short}} {
		m, want := newModel(feeds[0]), newModel(feeds[1])
		m.run.Actions.Filter = func(context.Context, string) (*Feed, error) { return feeds[1], nil }
		press(m, "6", "f", "enter")
		press(want, "6")
		if got := m.View().Content; got != want.View().Content {
			t.Errorf("want\n%s\ngot\n%s", want.View().Content, got)
		}
	}
}

// Where consumers are not followed, it does not look as if there were none.
func TestUnjudged(t *testing.T) {
	f := NewFeed(Options{})
	if err := f.Close(nil); err != nil {
		t.Fatal(err)
	}
	m := newModel(f)
	press(m, "2")
	if text := m.View().Content; !strings.Contains(text, "not followed") {
		t.Error(text)
	}
}

// Where nothing can be read again, a message is followed in the list: from any of
// its events to all.
func TestFollowInList(t *testing.T) {
	for _, name := range []string{"SEND ", "SEND_RECEIPT", "MESSAGE", "ACK"} {
		m := newModel(fed(t, "mixed", Limits{}, nil))
		l := newList("", Selection{Conn: -1})
		m.push(l)
		for l.cursor.chosen = 0; !strings.HasPrefix(l.current().Command+" ", name) || l.current().Conn != 6; l.cursor.chosen++ {
		}
		press(m, "t")
		var commands []string
		followed := m.page().(*list)
		for _, n := range followed.numbers {
			commands = append(commands, followed.entries.At(n).Command)
		}
		if got := strings.Join(commands, " "); !strings.HasPrefix(got, "SEND SEND_RECEIPT") || name != "SEND " && name != "SEND_RECEIPT" && got != "SEND SEND_RECEIPT MESSAGE ACK" {
			t.Errorf("from %s to %s", name, got)
		}
		if text := m.View().Content; !strings.Contains(text, "not here") {
			t.Errorf("it is not told that there may be more:\n%s", text)
		}
	}
}

// Esc ends what is being read again, and nothing else is done meanwhile.
func TestEscEnds(t *testing.T) {
	m := newModel(fed(t, "mixed", Limits{}, nil))
	m.run.Actions.Frame = func(ctx context.Context, _ Place, _ render.Options) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}
	press(m, "6", "/")
	typed(m, "SEND")
	press(m, "enter")
	_, job := m.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	press(m, "1")
	if text := m.View().Content; !strings.Contains(text, "[6 Events]") || !strings.Contains(text, "Esc ends it") {
		t.Errorf("a key was taken meanwhile:\n%s", text)
	}
	press(m, "esc")
	m.Update(job())
	if text := m.View().Content; !strings.Contains(text, "ended") || m.cancel != nil {
		t.Errorf("it goes on:\n%s", text)
	}
}

// An action that cannot be done says why.
func TestCannot(t *testing.T) {
	m := newModel(fed(t, "mixed", Limits{}, nil))
	press(m, "6")
	for _, key := range []string{"enter", "e", "f"} {
		press(m, key)
		if !strings.Contains(m.View().Content, "not here") {
			t.Errorf("%s says nothing", key)
		}
	}
}

func TestQuit(t *testing.T) {
	for _, msg := range []tea.KeyPressMsg{{Code: 'q', Text: "q"}, {Code: 'c', Mod: tea.ModCtrl}} {
		m := newModel(NewFeed(Options{}))
		_, then := m.Update(msg)
		if then == nil {
			t.Fatal(msg, "does not quit")
		}
		if _, ok := then().(tea.QuitMsg); !ok {
			t.Error(msg, "does not quit")
		}
	}
}
