package tui

import (
	"cmp"
	"slices"
	"strings"

	"pulsar-dissect/render"
)

// column is a column of a table of rows R. Where there is little room, those that
// can be spared are left out, the highest number first.
type column[R any] struct {
	title string
	width int  // columns of the terminal; of an elastic one the least
	grows bool // elastic: it takes what is left
	words bool // the end is cut, and not the middle, as of names
	right bool
	spare int // 0: it cannot be spared
	cell  func(*R) render.Cell
	order func(a, b *R) int // nil: by its text
	falls bool              // the largest comes first
}

// table is a page of rows that can be sorted, searched and opened.
type table[R any] struct {
	name    string
	nothing string                 // in place of rows
	why     func(*Snapshot) string // there are none, where nothing is not the reason; nil: it is
	columns []column[R]
	of      func(*Snapshot) []R
	same    func(a, b *R) bool // is the row that it was in the snapshot before
	open    func(*R) page      // what Enter shows; nil: nothing

	cursor
	by     int // column that rows are sorted by
	turned bool
	sought string
	rows   []R
	all    int    // rows, with those that are not shown
	reason string // why there are none
	height int    // rows on the screen
	widths []int  // of columns, 0: there is no room
}

func (t *table[R]) title() string { return t.name }

func (t *table[R]) keys() string { return looked(t.sought) + "s sort  r reverse  / find  Enter open" }

// take shows the rows of a snapshot. The row that was chosen stays so, if it is
// still there.
func (t *table[R]) take(s *Snapshot) {
	var was *R
	if t.chosen < len(t.rows) {
		was = &t.rows[t.chosen]
	}
	rows := slices.Clone(t.of(s))
	t.all, t.reason = len(rows), t.nothing
	if t.why != nil {
		t.reason = cmp.Or(t.why(s), t.nothing)
	}
	if t.sought != "" {
		rows = slices.DeleteFunc(rows, func(r R) bool { return !t.fits(&r) })
	}
	t.rows = rows
	t.sort()
	if was != nil {
		if i := slices.IndexFunc(t.rows, func(r R) bool { return t.same(&r, was) }); i >= 0 {
			t.chosen = i
		}
	}
	t.keep(len(t.rows), max(t.height, 1))
}

// fits says whether a cell of the row has the text that is looked for.
func (t *table[R]) fits(r *R) bool {
	return slices.ContainsFunc(t.columns, func(c column[R]) bool { return has(c.cell(r).Text, t.sought) })
}

func (t *table[R]) sort() {
	c := &t.columns[t.by]
	order := c.order
	if order == nil {
		order = func(a, b *R) int { return strings.Compare(c.cell(a).Text, c.cell(b).Text) }
	}
	sign := 1
	if c.falls != t.turned {
		sign = -1
	}
	slices.SortStableFunc(t.rows, func(a, b R) int { return sign * order(&a, &b) })
}

func (t *table[R]) find(text string) { t.sought = strings.ToLower(text) }

func (t *table[R]) press(key string) action {
	if t.move(key, len(t.rows), max(t.height, 1)) {
		return nil
	}
	switch key {
	case "s":
		t.by, t.turned = t.nextShown(), false
		t.sort()
	case "r":
		t.turned = !t.turned
		t.sort()
	case "enter":
		if t.open != nil && t.chosen < len(t.rows) {
			next := t.open(&t.rows[t.chosen])
			return func(m *Model) { m.push(next) }
		}
	}
	return nil
}

// nextShown is the next column that there was room for.
func (t *table[R]) nextShown() int {
	for i := range t.columns {
		if next := (t.by + 1 + i) % len(t.columns); t.widths == nil || t.widths[next] > 0 {
			return next
		}
	}
	return t.by
}

// marker is what stands before the chosen row, and marginWidth the room for it.
const (
	marker      = ">"
	marginWidth = 2
	gap         = 1 // between columns
)

func (t *table[R]) draw(p *render.Painter, height int) []string {
	widths := fit(t.columns, p.Width()-marginWidth)
	t.widths = widths
	lines := []string{t.heads(p, widths)}
	t.height = height - 1
	t.keep(len(t.rows), max(t.height, 1))
	if len(t.rows) == 0 {
		return append(lines, t.none(p))
	}
	for i := t.top; i < min(t.top+t.height, len(t.rows)); i++ {
		lines = append(lines, t.row(p, widths, &t.rows[i], i == t.chosen))
	}
	return lines
}

func (t *table[R]) none(p *render.Painter) string {
	text := t.reason
	if t.all > 0 {
		text = render.CountText(uint64(t.all)) + " rows, none of which has \"" + render.Visible(t.sought) + "\"."
	}
	p.Begin()
	p.To(marginWidth)
	p.Put(render.Cell{Style: render.Faint, Text: text})
	return p.End()
}

// heads is the line of titles; an arrow marks the one that rows are sorted by.
func (t *table[R]) heads(p *render.Painter, widths []int) string {
	p.Begin()
	at := marginWidth
	for i := range t.columns {
		c := &t.columns[i]
		if widths[i] == 0 {
			continue
		}
		title := c.title
		if i == t.by {
			title += map[bool]string{false: "▲", true: "▼"}[c.falls != t.turned]
		}
		p.To(at + indentOf(c.right, title, widths[i]))
		p.Put(render.Cell{Style: render.Heading, Text: title})
		at += widths[i] + gap
	}
	return p.End()
}

func (t *table[R]) row(p *render.Painter, widths []int, r *R, chosen bool) string {
	p.Begin()
	if chosen {
		p.Put(render.Cell{Style: render.Chosen, Text: marker})
	}
	at := marginWidth
	for i := range t.columns {
		c := &t.columns[i]
		if widths[i] == 0 {
			continue
		}
		cell := c.cell(r)
		cell.Text = c.cut(cell.Text, widths[i])
		if chosen {
			cell.Style = render.Chosen
		}
		p.To(at + indentOf(c.right, cell.Text, widths[i]))
		p.Put(cell)
		at += widths[i] + gap
	}
	return p.End()
}

func (c *column[R]) cut(text string, width int) string {
	if c.words {
		return render.CutText(text, width)
	}
	return render.CutName(text, width)
}

func indentOf(right bool, text string, width int) int {
	if !right {
		return 0
	}
	return max(0, width-render.Columns(text))
}

// ample is how wide elastic columns should be before a luxury is shown beside
// them: a column whose number is above that.
const (
	ample  = 20
	luxury = 4
)

// fit gives the widths of columns; 0 of those that are left out.
func fit[R any](columns []column[R], room int) []int {
	widths := make([]int, len(columns))
	for i := range columns {
		widths[i] = columns[i].width
		if columns[i].grows {
			widths[i] = max(ample, widths[i])
		}
	}
	spareOut(columns, widths, room, luxury)
	for i := range columns {
		if columns[i].grows && widths[i] > 0 {
			widths[i] = columns[i].width
		}
	}
	spareOut(columns, widths, room, 0)
	grow(columns, widths, max(room-taken(widths), 0))
	return widths
}

// spareOut leaves out columns with numbers above one, the highest first, until
// there is room for the others.
func spareOut[R any](columns []column[R], widths []int, room, above int) {
	for taken(widths) > room {
		most := -1
		for i := range columns {
			if widths[i] > 0 && columns[i].spare > above && (most < 0 || columns[i].spare > columns[most].spare) {
				most = i
			}
		}
		if most < 0 {
			return
		}
		widths[most] = 0
	}
}

// grow shares what is left out to elastic columns.
func grow[R any](columns []column[R], widths []int, left int) {
	elastic := 0
	for i := range columns {
		if columns[i].grows && widths[i] > 0 {
			elastic++
		}
	}
	for i := range columns {
		if columns[i].grows && widths[i] > 0 {
			part := left / elastic
			widths[i], left, elastic = widths[i]+part, left-part, elastic-1
		}
	}
}

func taken(widths []int) (sum int) {
	for _, w := range widths {
		if w > 0 {
			sum += w + gap
		}
	}
	return max(sum-gap, 0)
}

// Makers of cells and orders.

func name[R any](of func(*R) string) func(*R) render.Cell {
	return func(r *R) render.Cell { return render.Cell{Text: render.NameText(of(r))} }
}

func topicName[R any](of func(*R) string) func(*R) render.Cell {
	return func(r *R) render.Cell { return render.Cell{Style: render.About, Text: render.TopicText(of(r))} }
}

// integer is a column of numbers, the largest first.
func integer[R any, N ~int | ~int64 | ~uint64](title string, width, spare int, of func(*R) N) column[R] {
	return column[R]{
		title: title, width: width, spare: spare, right: true, falls: true,
		cell:  func(r *R) render.Cell { return render.Cell{Text: integerText(int64(of(r)))} },
		order: func(a, b *R) int { return cmp.Compare(of(a), of(b)) },
	}
}

// measure is a column of numbers in a unit; 0 is left empty.
func measure[R any, N ~int64 | ~float64](title string, width, spare int, of func(*R) N, text func(N) string) column[R] {
	return column[R]{
		title: title, width: width, spare: spare, right: true, falls: true,
		cell: func(r *R) render.Cell {
			if n := of(r); n != 0 {
				return render.Cell{Text: text(n)}
			}
			return render.Cell{}
		},
		order: func(a, b *R) int { return cmp.Compare(of(a), of(b)) },
	}
}

func integerText(n int64) string {
	if n < 0 {
		return "-" + render.CountText(uint64(-n))
	}
	return render.CountText(uint64(n))
}
