package tui

import (
	"path/filepath"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/render"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

// fed is a feed that has had all of a capture of testdata. also is called with
// each event.
func fed(t testing.TB, name string, l Limits, also func(*Feed, *session.Event)) *Feed {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(testkit.Root(t), "testdata", "captures", name, "*.pcap*"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, "no capture", name)
	}
	source, err := capture.Open(files, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	parser := segment.NewParser(segment.Limits{})
	stages := session.New(session.Options{NoMessages: true}).Events(
		decode.New(decode.Limits{}, nil).Events(reassembly.New(reassembly.Limits{}, parser).Events(source.Packets())))
	f := NewFeed(Options{Limits: l, Every: time.Second})
	f.now = func() time.Time { return time.Time{} } // it stands still: there are no snapshots but the first and the last
	engine := diagnose.New(diagnose.Options{Found: func(x *diagnose.Finding) { _ = f.Found(x) }})
	f.Follow(engine.Dispatch())
	engine.Dispatch().Watch(dispatch.Watcher{Ended: func(_ *dispatch.Consumer, v *dispatch.Verdict) { _ = f.Consumer(v, decode.Position{}) }})
	for e, err := range stages {
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Event(e); err != nil {
			t.Fatal(err)
		}
		engine.Add(e)
		if also != nil {
			also(f, e)
		}
	}
	if err := f.Findings(&render.Diagnosis{Found: engine.Finish()}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(nil); err != nil {
		t.Fatal(err)
	}
	return f
}

// special are keys that type no text.
var special = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "home": tea.KeyHome, "end": tea.KeyEnd,
	"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "tab": tea.KeyTab, "backspace": tea.KeyBackspace,
}

// press presses keys, and does at once what they ask for.
func press(m *Model, keys ...string) {
	for _, key := range keys {
		msg := tea.KeyPressMsg{Code: []rune(key)[0], Text: key}
		if code := special[key]; code != 0 {
			msg = tea.KeyPressMsg{Code: code}
		}
		_, then := m.Update(msg)
		for then != nil && !m.quit {
			_, then = m.Update(then())
		}
	}
}

// typed presses the key of each letter.
func typed(m *Model, text string) {
	for _, r := range text {
		press(m, string(r))
	}
}

func newModel(f *Feed) *Model {
	return New(Run{Name: "capture.pcap", Feed: f, Refresh: time.Second, Actions: Actions{Why: "not here"}})
}
