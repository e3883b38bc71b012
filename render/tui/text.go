package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"pulsar-dissect/render"
)

// text is a page of text that a face has made: fit for a terminal, with colours.
type text struct {
	name   string
	lines  []string
	top    int
	height int
	sought string
}

func newText(name, content string) *text {
	t := &text{name: name}
	t.set(content)
	return t
}

func (t *text) set(content string) { t.lines = strings.Split(strings.TrimRight(content, "\n"), "\n") }

func (t *text) title() string { return t.name }

func (t *text) keys() string { return "/ find  n next" }

func (t *text) take(*Snapshot) {}

func (t *text) draw(p *render.Painter, height int) (lines []string) {
	t.height = height
	t.top = max(0, min(t.top, len(t.lines)-height))
	for _, line := range t.lines[t.top:min(t.top+height, len(t.lines))] {
		lines = append(lines, ansi.Truncate(line, p.Width(), "…"))
	}
	return lines
}

// press scrolls: what moves a cursor moves all of the text.
func (t *text) press(key string) action {
	if key == "n" {
		t.next(t.top + 1)
		return nil
	}
	c := cursor{chosen: t.top}
	if c.move(key, len(t.lines), max(t.height, 1)) {
		t.top = c.chosen
	}
	return nil
}

func (t *text) find(what string) {
	t.sought = strings.ToLower(what)
	t.next(t.top)
}

// next goes to the next line with what is looked for.
func (t *text) next(from int) {
	for i := from; t.sought != "" && i < len(t.lines); i++ {
		if has(ansi.Strip(t.lines[i]), t.sought) {
			t.top = i
			return
		}
	}
}
