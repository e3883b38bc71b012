package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"pulsar-dissect/render"
)

// View gives the lines of the screen, as many as the terminal has.
func (m *Model) View() tea.View {
	v := tea.NewView(m.content())
	v.AltScreen = true
	return v
}

func (m *Model) content() string {
	const around = 3 // lines above and below the page
	lines := []string{m.head(), m.bar()}
	body := m.height - around
	if body > 0 {
		lines = append(lines, m.page().draw(m.painter, body)...)
	}
	for len(lines) < m.height-1 {
		lines = append(lines, "")
	}
	lines = append(lines[:max(m.height-1, 0)], m.foot())
	return strings.Join(lines, "\n")
}

// head tells what is shown, and how far it has come.
func (m *Model) head() string {
	s, p := m.snapshot, m.painter
	p.Begin()
	p.Put(render.Cell{Style: render.Heading, Text: "pulsar-dissect"})
	p.To(p.At() + 1)
	p.Put(render.Cell{Style: render.About, Text: render.CutName(render.NameText(m.run.Name), max(m.width/3, 1))})
	p.To(p.At() + 2)
	p.Put(render.Cell{Text: render.CountText(s.Frames) + " frames, " + render.SecondsText(max(s.Last-s.First, 0)) + " s"})
	if quiet := s.Now - s.Last; quiet >= int64(time.Second) {
		p.Put(render.Cell{Style: render.Doubtful, Text: ", nothing for " + time.Duration(quiet).Truncate(time.Second).String()})
	}
	p.To(p.At() + 2)
	p.Put(m.state())
	if m.filter != "" {
		p.To(p.At() + 2)
		p.Put(render.Cell{Style: render.Doubtful, Text: "filter: " + render.Visible(m.filter)})
	}
	return p.End()
}

func (m *Model) state() render.Cell {
	switch s := m.snapshot; {
	case m.paused:
		return render.Cell{Style: render.Doubtful, Text: "PAUSED"}
	case s.Ended:
		return render.Cell{Style: render.Faint, Text: "ended"}
	case m.run.Live:
		return render.Cell{Style: render.Good, Text: "live"}
	}
	return render.Cell{Style: render.Good, Text: "reading"}
}

// bar lists the tabs, or says what was opened from one.
func (m *Model) bar() string {
	p := m.painter
	p.Begin()
	for i, t := range m.tabs {
		c := render.Cell{Style: render.Faint, Text: string(rune('1'+i)) + " " + t.title()}
		if i == m.tab {
			c = render.Cell{Style: render.Heading, Text: "[" + c.Text + "]"}
		}
		if len(m.stack) == 0 || i == m.tab {
			p.Put(c)
			p.To(p.At() + 2)
		}
	}
	for _, opened := range m.stack {
		p.Put(render.Cell{Style: render.Heading, Text: "> " + opened.title()})
		p.To(p.At() + 1)
	}
	return p.End()
}

// foot is the last line: what is typed, what is told, or what keys there are.
func (m *Model) foot() string {
	p := m.painter
	if m.prompt != nil {
		return m.prompt.draw(p)
	}
	p.Begin()
	switch s := m.snapshot; {
	case m.notice.Text != "":
		p.Put(m.notice)
	case s.NewsSeen > m.read:
		p.Put(render.Cell{Style: render.Doubtful, Text: "N: " + render.Visible(s.News[len(s.News)-1])})
	case s.Unlisted > 0:
		p.Put(render.Cell{Style: render.Faint, Text: "? keys  q quit  "})
		p.Put(render.Cell{Style: render.Doubtful, Text: "too many to list all of them (--limit-tui-rows)"})
	default:
		p.Put(render.Cell{Style: render.Faint, Text: "? keys  q quit  " + m.page().keys()})
	}
	return p.End()
}
