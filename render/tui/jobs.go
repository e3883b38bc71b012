package tui

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"pulsar-dissect/render"
	"pulsar-dissect/session"
)

// start runs a job on a goroutine of its own, until Esc. It gives what is to be
// done with what it has come to.
func (m *Model) start(what string, job func(ctx context.Context) (done, error)) {
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	m.notice = render.Cell{Style: render.Doubtful, Text: what + " ... Esc ends it"}
	m.job = func() tea.Msg {
		defer cancel()
		then, err := job(ctx)
		switch {
		case err == nil:
			return then // also where Esc came too late
		case ctx.Err() != nil:
			return done(func(m *Model) { m.tell(render.Doubtful, "ended") })
		}
		return done(func(m *Model) { m.tell(render.Wrong, err.Error()) })
	}
}

// stop ends the job that runs.
func (m *Model) stop() {
	if m.cancel != nil {
		m.cancel()
	}
}

// tell says something in the last line, until a key is pressed.
func (m *Model) tell(s render.Style, text string) {
	m.notice = render.Cell{Style: s, Text: render.Visible(strings.ReplaceAll(text, "\n", "; "))}
}

// cannot tells why something cannot be done.
func (m *Model) cannot() { m.tell(render.Doubtful, m.run.Actions.Why) }

// options are how faces are to look on a page.
func (m *Model) options() render.Options {
	return render.Options{Format: render.Table, Width: m.width, Color: m.run.Color}
}

// showFrame shows the bytes of a frame.
func (m *Model) showFrame(e *Entry) {
	read, o, at, live := m.run.Actions.Frame, m.options(), e.Place, m.run.Live
	switch {
	case e.Kind != session.FrameSeen:
		m.tell(render.Doubtful, "this event is no frame of Pulsar, whose bytes could be shown")
		return
	case read == nil:
		m.cannot()
		return
	}
	m.start("reading the frame", func(ctx context.Context) (done, error) {
		content, err := read(ctx, at, o)
		if err == nil && content == "" {
			err = errors.New("there is no frame at this place" + map[bool]string{true: " of the file so far"}[live])
		}
		return func(m *Model) {
			m.notice = render.Cell{}
			m.push(newText(e.Command, content))
		}, err
	})
}

// follow shows what happened to the message of an event.
func (m *Model) follow(e *Entry) {
	read, o := m.run.Actions.Follow, m.options()
	want, ok := e.wanted()
	switch {
	case !ok:
		m.tell(render.Doubtful, "this event names no message: choose a SEND, SEND_RECEIPT, MESSAGE or ACK")
		return
	case read == nil:
		of := messageIn(&m.snapshot.Events, e)
		m.push(newList(of.title(), Selection{Conn: -1, Of: of}))
		m.tell(render.Doubtful, "these are the events in the list; for all of it: "+m.run.Actions.Why)
		return
	}
	m.start("following the message", func(ctx context.Context) (done, error) {
		content, err := read(ctx, want, o)
		return func(m *Model) {
			m.notice = render.Cell{}
			m.push(newText("message", content))
		}, err
	})
}

// askExport asks for the file to which frames are written.
func (m *Model) askExport(l *list) {
	write := m.run.Actions.Export
	if write == nil {
		m.cannot()
		return
	}
	places := l.places()
	if len(places) == 0 {
		m.tell(render.Doubtful, "none of these events is a frame")
		return
	}
	m.ask("write "+render.CountText(uint64(len(places)))+" frames to (*.jsonl, *.pcapng): ", "", func(m *Model, path string) {
		if path == "" {
			return
		}
		m.start("writing", func(ctx context.Context) (done, error) {
			said, err := write(ctx, places, path)
			return func(m *Model) { m.tell(render.Good, said) }, err
		})
	})
}

// askFind asks for text that rows must have.
func (m *Model) askFind() {
	m.ask("find: ", "", func(m *Model, text string) {
		m.page().find(text)
		m.page().take(m.snapshot)
	})
}

// askFilter asks for an expression that events must meet.
func (m *Model) askFilter() {
	set := m.run.Actions.Filter
	if set == nil {
		m.cannot()
		return
	}
	m.ask("filter (CEL, empty: all): ", m.filter, func(m *Model, expression string) {
		m.start("reading again", func(ctx context.Context) (done, error) {
			feed, err := set(ctx, expression)
			return func(m *Model) {
				m.filter, m.notice = expression, render.Cell{}
				if feed != nil {
					m.run.Feed, m.paused = feed, false
					m.look()
				}
			}, err
		})
	})
}
