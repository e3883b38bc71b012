package tui

import (
	"strings"

	"pulsar-dissect/render"
)

// page is what the screen shows between its head and its foot.
type page interface {
	title() string
	keys() string // what its keys are for, beside those of all pages
	// take takes the latest snapshot.
	take(s *Snapshot)
	// draw gives the lines of it, no more than height.
	draw(p *render.Painter, height int) []string
	// press takes a key. An action is what is to be done beyond the page.
	press(key string) action
	// find looks for text; empty: for none.
	find(text string)
}

// action is what a key asks of the model; nil: nothing.
type action func(m *Model)

// cursor is which row of a list is chosen, and which is shown first.
type cursor struct{ chosen, top int }

// moves are the keys that move a cursor. n is the number of rows, height how many
// of them are shown.
var moves = map[string]func(c *cursor, n, height int){
	"up":     func(c *cursor, _, _ int) { c.chosen-- },
	"k":      func(c *cursor, _, _ int) { c.chosen-- },
	"down":   func(c *cursor, _, _ int) { c.chosen++ },
	"j":      func(c *cursor, _, _ int) { c.chosen++ },
	"pgup":   func(c *cursor, _, height int) { c.chosen -= height },
	"pgdown": func(c *cursor, _, height int) { c.chosen += height },
	"home":   func(c *cursor, _, _ int) { c.chosen = 0 },
	"g":      func(c *cursor, _, _ int) { c.chosen = 0 },
	"end":    func(c *cursor, n, _ int) { c.chosen = n - 1 },
	"G":      func(c *cursor, n, _ int) { c.chosen = n - 1 },
}

// move moves by a key, and says whether it is one that moves.
func (c *cursor) move(key string, n, height int) bool {
	to := moves[key]
	if to == nil {
		return false
	}
	to(c, n, height)
	c.keep(n, height)
	return true
}

// keep keeps the chosen row among the rows, and on the screen.
func (c *cursor) keep(n, height int) {
	c.chosen = max(0, min(c.chosen, n-1))
	c.top = max(0, min(c.top, c.chosen, n-height))
	if c.chosen >= c.top+height {
		c.top = c.chosen - height + 1
	}
}

// looked tells ahead of keys what is looked for.
func looked(find string) string {
	if find == "" {
		return ""
	}
	return "/" + render.CutText(render.NameText(find), usualWidth/4) + "  "
}

// has says whether text has what is looked for, in capitals or not.
func has(text, find string) bool {
	return strings.Contains(strings.ToLower(text), find)
}
