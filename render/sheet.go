package render

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// sheet is a table that is printed at once: aligned for a terminal, or a line a
// row with the names of its values, for grep.
type sheet struct {
	kind    string // first word of a line
	title   string
	columns []sheetColumn
	rows    [][]styled
	note    string // below the table
	first   bool   // nothing stands above it
}

// sheetColumn is a column. Where a table is wider than the terminal, the widest
// of the elastic columns are cut, and if that is not enough, those that can be
// spared are left out, the highest number first.
type sheetColumn struct {
	title string
	name  string // of the value in a line; empty: the value has none
	right bool
	least int  // elastic: how narrow it may become, 0 if it is not
	names bool // elastic: the middle is cut and not the end
	spare int  // 0: it cannot be spared
}

// styled is text of a cell, fit for a terminal already.
type styled struct {
	style style
	text  string
}

// columnGap keeps columns apart.
const columnGap = 2

// print writes the sheet; nothing if it has no rows.
func (s *sheet) print(w io.Writer, o *Options) error {
	if len(s.rows) == 0 {
		return nil
	}
	if o.Format == Compact {
		return s.printLines(w, newPalette(o.Color))
	}
	return s.printTable(w, o)
}

func (s *sheet) printLines(w io.Writer, p *palette) error {
	var b []byte
	for _, row := range s.rows {
		b = append(b, s.kind...)
		for i, c := range row {
			if c.text == "" {
				continue
			}
			b = append(b, ' ')
			if name := s.columns[i].name; name != "" {
				b = append(append(b, name...), '=')
			}
			b = append(b, p.paint(c.style, s.columns[i].word(c.text))...)
		}
		b = append(b, '\n')
	}
	_, err := w.Write(b)
	return err
}

// word makes a cell one word.
func (c *sheetColumn) word(text string) string {
	switch {
	case c.right:
		return strings.ReplaceAll(text, " ", "")
	case c.name != "" && strings.Contains(text, " ") && text[0] != '"':
		return `"` + text + `"`
	}
	return text
}

func (s *sheet) printTable(w io.Writer, o *Options) error {
	var b bytes.Buffer
	p := newPalette(o.Color)
	if !s.first {
		b.WriteByte('\n')
	}
	b.WriteString(p.paint(heading, s.title) + "\n")
	s.fit(o.Width)
	t := tablewriter.NewTable(&b, tableLook(s.columns)...)
	titles := make([]string, len(s.columns))
	for i := range s.columns {
		titles[i] = p.paint(faint, s.columns[i].title)
	}
	t.Header(titles)
	for _, row := range s.rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = p.paint(c.style, c.text)
		}
		if err := t.Append(cells); err != nil {
			return err
		}
	}
	if err := t.Render(); err != nil {
		return err
	}
	if s.note != "" {
		b.WriteString(p.paint(faint, s.note) + "\n")
	}
	_, err := w.Write(trimLines(b.Bytes()))
	return err
}

// tableLook is a table without lines, its columns apart by spaces.
func tableLook(columns []sheetColumn) []tablewriter.Option {
	align := make([]tw.Align, len(columns))
	for i := range columns {
		align[i] = tw.AlignLeft
		if columns[i].right {
			align[i] = tw.AlignRight
		}
	}
	off := tw.Lines{ShowHeaderLine: tw.Off, ShowFooterLine: tw.Off, ShowTop: tw.Off, ShowBottom: tw.Off}
	apart := tw.Padding{Left: "", Right: strings.Repeat(" ", columnGap), Overwrite: true}
	return []tablewriter.Option{
		tablewriter.WithEastAsian(tw.Off),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.Off, Bottom: tw.Off},
			Settings: tw.Settings{Lines: off, Separators: tw.Separators{BetweenRows: tw.Off, BetweenColumns: tw.Off}},
		})),
		tablewriter.WithHeaderAutoFormat(tw.Off), tablewriter.WithHeaderAutoWrap(tw.WrapNone), tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{Global: tw.AlignLeft, PerColumn: align}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{Global: tw.AlignLeft, PerColumn: align}),
		tablewriter.WithPadding(apart), tablewriter.WithTrimSpace(tw.Off),
	}
}

// fit makes the table as narrow as the terminal, as far as it can be.
func (s *sheet) fit(width int) {
	if width <= 0 {
		return
	}
	widths := s.widths()
	for s.leastWidth(widths) > width && s.leaveOut() {
		widths = s.widths()
	}
	s.shrink(widths, width, func(c *sheetColumn) int { return c.least })
	s.shrink(widths, width, func(*sheetColumn) int { return lastResort })
	for _, row := range s.rows {
		for i := range row {
			row[i].text = s.columns[i].cut(row[i].text, widths[i])
		}
	}
}

func (c *sheetColumn) cut(text string, width int) string {
	switch {
	case c.least == 0:
		return text
	case c.names:
		return string(cutMiddle([]byte(text), width))
	}
	return string(cutToWidth([]byte(text), width))
}

// leastWidth is how narrow the table can become with the columns that it has.
func (s *sheet) leastWidth(widths []int) int {
	total := columnGap * (len(widths) - 1)
	for i, c := range s.columns {
		if c.least > 0 {
			total += min(widths[i], max(c.least, displayWidth([]byte(c.title))))
		} else {
			total += widths[i]
		}
	}
	return total
}

// leaveOut drops the column that can be spared most easily.
func (s *sheet) leaveOut() bool {
	most := 0
	for i := range s.columns {
		if s.columns[i].spare > s.columns[most].spare {
			most = i
		}
	}
	if s.columns[most].spare == 0 {
		return false
	}
	s.drop(most)
	return true
}

// lastResort is how narrow an elastic column becomes where all else is not
// enough.
const lastResort = 6

// dropEmpty leaves out a column if no row has anything in it.
func (s *sheet) dropEmpty(title string) {
	i := slices.IndexFunc(s.columns, func(c sheetColumn) bool { return c.title == title })
	for _, row := range s.rows {
		if row[i].text != "" {
			return
		}
	}
	s.drop(i)
}

func (s *sheet) drop(i int) {
	s.columns = slices.Delete(slices.Clone(s.columns), i, i+1)
	for r := range s.rows {
		s.rows[r] = slices.Delete(s.rows[r], i, i+1)
	}
}

// shrink takes columns from the widest of the elastic ones.
func (s *sheet) shrink(widths []int, width int, least func(*sheetColumn) int) {
	for total := sum(widths) + columnGap*(len(widths)-1); total > width; total-- {
		widest := -1
		for i := range s.columns {
			c := &s.columns[i]
			if c.least > 0 && widths[i] > max(least(c), displayWidth([]byte(c.title))) && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

func (s *sheet) widths() []int {
	widths := make([]int, len(s.columns))
	for i := range s.columns {
		widths[i] = displayWidth([]byte(s.columns[i].title))
	}
	for _, row := range s.rows {
		for i := range row {
			widths[i] = max(widths[i], displayWidth([]byte(row[i].text)))
		}
	}
	return widths
}

func sum(list []int) (total int) {
	for _, n := range list {
		total += n
	}
	return total
}

// blankEnds are the spaces at the ends of lines; tablewriter resets colours
// behind them.
var blankEnds = regexp.MustCompile(`(?m) +(\x1b\[0m)?$`)

func trimLines(text []byte) []byte { return blankEnds.ReplaceAll(text, nil) }
