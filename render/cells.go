package render

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire/jsontext"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

// Formats of tables for other programs: a row of names, then a row a record,
// with the values of the JSON records (RFC 4180 for CSV; in TSV, tabs and line
// ends within a value are \t, \n and \r, and a backslash is doubled). In both,
// what a terminal would obey is an escape as \x1b.
const (
	CSV Format = "csv"
	TSV Format = "tsv"
)

// IsCells says whether the format is a table for other programs.
func (f Format) IsCells() bool { return f == CSV || f == TSV }

// IsRecords says whether a format shows records as JSON has them.
func (f Format) IsRecords() bool { return f == JSONLines || f.IsCells() }

// Cells is the face for spreadsheets and databases: records as rows, with chosen
// fields of theirs.
type Cells struct {
	w     io.Writer
	json  *JSON
	table cellTable
	show  [256]bool
	buf   []byte
	err   error // of the first row
}

// NewCells makes a face that shows events of these kinds in the columns of a
// listing.
func NewCells(w io.Writer, o Options, listing string, show ...session.Kind) *Cells {
	c := &Cells{w: w, json: NewJSON(o.JSON()), table: newCellTable(&o, listing)}
	for _, k := range show {
		c.show[k] = true
	}
	_, c.err = w.Write(c.table.head())
	return c
}

// Event writes the row of an event of a kind that is shown.
func (c *Cells) Event(e *session.Event) error {
	if !c.show[e.Kind] || c.err != nil {
		return c.err
	}
	c.buf = c.json.Append(c.buf[:0], e)
	return c.write(e)
}

// Consumer writes the row of a verdict, where the listing is about consumers.
func (c *Cells) Consumer(v *dispatch.Verdict, at decode.Position) error {
	if c.table.about != "consumers" {
		return nil
	}
	c.buf = c.json.AppendConsumer(c.buf[:0], v, at)
	return c.write(nil)
}

// Findings writes the rows of findings, where the listing is about them.
func (c *Cells) Findings(d *Diagnosis) error {
	if c.table.about != "diagnose" {
		return nil
	}
	for _, f := range d.Found {
		c.buf = c.json.AppendFinding(c.buf[:0], f)
		if err := c.write(nil); err != nil {
			return err
		}
	}
	return nil
}

// Close has nothing left to say.
func (c *Cells) Close(*End) error { return c.err }

// write writes the row of the record at hand.
func (c *Cells) write(e *session.Event) error {
	if c.err == nil {
		_, c.err = c.w.Write(c.table.row(c.buf, e))
	}
	return c.err
}

// cellTable makes rows.
type cellTable struct {
	about   string // the listing
	columns []string
	format  Format
	buf     []byte
}

func newCellTable(o *Options, listing string) cellTable {
	return cellTable{about: listing, columns: CellColumns[listing], format: o.Format}
}

// head is the row of names.
func (t *cellTable) head() []byte {
	t.buf = t.buf[:0]
	for i, name := range t.columns {
		t.cell(i, strings.ReplaceAll(name, listMark, ""))
	}
	return append(t.buf, '\n')
}

// row makes the row of a record; e is its event, nil where it is of none.
func (t *cellTable) row(record []byte, e *session.Event) []byte {
	t.buf = t.buf[:0]
	members := membersOf(record)
	for i, path := range t.columns {
		text := textAt(members, path)
		if around := cellsAround[path]; text == "" && around != nil && e != nil {
			text = harmlessCell(around(e))
		}
		t.cell(i, text)
	}
	return append(t.buf, '\n')
}

// cellsAround are columns that records of frames do not have, but what is known
// around them.
var cellsAround = map[string]func(*session.Event) string{
	"topic": (*session.Event).Topic,
	"subscription": func(e *session.Event) string {
		if e.Consumer == nil {
			return ""
		}
		return e.Consumer.Subscription
	},
}

// cell appends a value, quoted where that is needed.
func (t *cellTable) cell(i int, text string) {
	if t.format == TSV {
		if i > 0 {
			t.buf = append(t.buf, '\t')
		}
		t.buf = appendUnobeyed(t.buf, tsvEscapes.Replace(text))
		return
	}
	if i > 0 {
		t.buf = append(t.buf, ',')
	}
	if !strings.ContainsAny(text, ",\"\r\n") {
		t.buf = appendUnobeyed(t.buf, text)
		return
	}
	t.buf = append(appendUnobeyed(append(t.buf, '"'), strings.ReplaceAll(text, `"`, `""`)), '"')
}

var tsvEscapes = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// appendUnobeyed appends a value with escapes for what a terminal would obey, other
// than tabs and line ends, for what turns the text around it, and for bytes that
// are not UTF-8. Other characters stay: this is for programs.
func appendUnobeyed(dst []byte, text string) []byte {
	if plainASCII(text) {
		return append(dst, text...)
	}
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			dst = appendEscapedByte(dst, text[0])
		case unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r), jsontext.Turns(r):
			dst = appendEscape(dst, r)
		default:
			dst = append(dst, text[:size]...)
		}
		text = text[size:]
	}
	return dst
}

// listMark stands in a path behind a list of whose objects each gives a value.
const listMark = "[]"

func membersOf(object []byte) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return nil // no object there: it has no members
	}
	return members
}

// textAt gives the value at a path of names with dots, as text; empty where
// there is none.
func textAt(members map[string]json.RawMessage, path string) string {
	name, rest, deeper := strings.Cut(path, ".")
	name, list := strings.CutSuffix(name, listMark)
	value := members[name]
	switch {
	case len(value) == 0:
		return ""
	case list:
		return textsAt(value, rest)
	case deeper:
		return textAt(membersOf(value), rest)
	}
	return cellText(value)
}

// textsAt gives the values at a path of all objects of a list, with spaces
// between.
func textsAt(list json.RawMessage, path string) string {
	var items []map[string]json.RawMessage
	if json.Unmarshal(list, &items) != nil {
		return ""
	}
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = textAt(item, path)
	}
	return strings.Join(texts, " ")
}

// cellText is a value as text: numbers and objects as in JSON, text itself.
func cellText(value json.RawMessage) string {
	if value[0] != '"' {
		return string(bytes.TrimSpace(value))
	}
	var text string
	if json.Unmarshal(value, &text) != nil {
		return ""
	}
	return harmlessCell(text)
}

// harmlessCell puts an apostrophe ahead of text that a spreadsheet would take
// for a formula: what came over the wire must not run there.
func harmlessCell(text string) string {
	if text != "" && strings.IndexByte("=+-@\t\r", text[0]) >= 0 {
		return "'" + text
	}
	return text
}
