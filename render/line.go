package render

import "bytes"

// line is one line of a face, made from left to right. Text given to it is fit
// for a terminal already. What does not fit the width is cut.
type line struct {
	palette *palette
	width   int // columns of the terminal, 0: as many as it takes
	text    []byte
	at      int  // columns taken
	full    bool // the width is used up
}

func newLine(o *Options) line {
	l := line{palette: newPalette(o.Color)}
	if o.Format != Compact {
		l.width = o.Width
	}
	return l
}

// begin starts a new line.
func (l *line) begin() { l.text, l.at, l.full = l.text[:0], 0, false }

// end gives the line with its line end, valid until the next begins.
func (l *line) end() []byte {
	l.text = append(bytes.TrimRight(l.text, " "), '\n')
	return l.text
}

// put appends text.
func (l *line) put(s style, text []byte) {
	if l.full || len(text) == 0 {
		return
	}
	columns := displayWidth(text)
	if l.width > 0 && l.at+columns > l.width {
		text = cutToWidth(text, l.width-l.at)
		columns, l.full = l.width-l.at, true
	}
	look := &l.palette[s]
	l.text = append(append(append(l.text, look.on...), text...), look.off...)
	l.at += columns
}

func (l *line) puts(s style, text string) { l.put(s, []byte(text)) }

// words appends text, kept apart from what is there by a space.
func (l *line) words(s style, text string) {
	if l.at > 0 {
		l.spaces(1)
	}
	l.puts(s, text)
}

const blanks = "                                                                                "

func (l *line) spaces(n int) {
	for ; n > len(blanks); n -= len(blanks) {
		l.puts(plain, blanks)
	}
	if n > 0 {
		l.puts(plain, blanks[:n])
	}
}

// column is one column of a face whose rows come one by one.
type column struct {
	title string
	width int  // columns of the terminal, 0 for the last: what is left
	right bool // numbers end at the right edge
	cut   bool // what is wider is cut, else it moves the cells behind it
	names bool // the middle is cut and not the end
}

// grid lays out rows. Their widths are fixed beforehand, since rows are written
// as they come.
type grid struct {
	columns []column
	starts  []int
	terse   bool // cells apart by one space, "-" for an empty one
}

func newGrid(o *Options, columns []column) *grid {
	g := &grid{columns: columns, terse: o.Format == Compact}
	at := 0
	for _, c := range columns {
		g.starts = append(g.starts, at)
		at += c.width + 1
	}
	return g
}

// cell appends the text of column i. Cells are given from left to right; one
// may be left out.
func (g *grid) cell(l *line, i int, s style, text []byte) {
	if g.terse {
		if l.at > 0 {
			l.spaces(1)
		}
		g.terseCell(l, i, s, text)
		return
	}
	start, c := g.starts[i], &g.columns[i]
	switch {
	case c.cut && c.names:
		text = cutMiddle(text, c.width)
	case c.cut:
		text = cutToWidth(text, c.width)
	}
	if c.right {
		start += max(0, c.width-displayWidth(text))
	}
	if l.at > 0 {
		start = max(start, l.at+1)
	}
	l.spaces(start - l.at)
	l.put(s, text)
}

// terseCell appends a cell as one word, if it is a number: "1.23KiB".
func (g *grid) terseCell(l *line, i int, s style, text []byte) {
	if g.columns[i].right {
		text = bytes.ReplaceAll(text, []byte(" "), nil)
	}
	if len(text) == 0 {
		text = []byte("-")
	}
	l.put(s, text)
}

// head gives the line of titles; none where lines are terse.
func (g *grid) head(l *line) []byte {
	if g.terse {
		return nil
	}
	l.begin()
	for i := range g.columns {
		g.cell(l, i, heading, []byte(g.columns[i].title))
	}
	return l.end()
}
