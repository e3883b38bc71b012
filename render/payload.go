package render

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// block writes what is in a message, whole, a line at a time: lines that are
// wider than the terminal go on in the next.
type block struct {
	width int // columns, 0: as wide as they are
	text  []byte
}

// Indents of a block, in columns: of its facts, and of what belongs to a fact.
const (
	blockIndent = 2
	blockInner  = 4
)

// line appends a line of visible text.
func (b *block) line(indent int, text []byte) {
	for {
		head, rest := text, []byte(nil)
		if room := max(b.width-indent, lastResort); b.width > 0 && displayWidth(text) > room {
			head = []byte(widths.Truncate(string(text), room, ""))
			if rest = text[len(head):]; len(head) == 0 {
				head, rest = text, nil
			}
		}
		b.text = append(b.text, blanks[:indent]...)
		b.text = append(append(b.text, head...), '\n')
		if text = rest; len(text) == 0 {
			return
		}
	}
}

// fact appends "name: value".
func (b *block) fact(name string, value []byte) {
	text := []byte(name + ":")
	if len(value) > 0 {
		text = append(append(text, ' '), value...)
	}
	b.line(blockIndent, text)
}

// contents appends bytes in the form that fits: JSON indented, text as text,
// anything else in hexadecimal.
func (b *block) contents(payload []byte, most int) {
	shown, isText := texts{}.cut(payload, most)
	pretty, isJSON := indented(payload)
	switch {
	case len(shown) == len(payload) && isJSON:
		b.json(pretty)
	case isText:
		b.lines(shown)
	default:
		b.hexdump(shown)
	}
	if left := len(payload) - len(shown); left > 0 {
		b.more(left)
	}
}

// more says what was left out.
func (b *block) more(bytes int) {
	b.line(blockInner, []byte("… and "+plural(bytes, "byte")+" more (--max-payload)"))
}

// json appends JSON that is indented, at most so many bytes of it.
func (b *block) json(pretty []byte) {
	for line := range bytes.Lines(pretty) {
		b.line(blockInner, appendVisibleJSON(nil, bytes.TrimRight(line, "\n")))
	}
}

func (b *block) lines(text []byte) {
	for line := range bytes.Lines(text) {
		b.line(blockInner, appendVisible(nil, bytes.TrimRight(line, "\r\n")))
	}
}

// deepest is how deep JSON may be nested that is shown indented: deeper, its
// indents would be most of it.
const deepest = 64

// indented is JSON with a line for each value, if it is an object or a list.
func indented(text []byte) (pretty []byte, ok bool) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[0] != '{' && text[0] != '[' || depth(text) > deepest {
		return nil, false
	}
	var out bytes.Buffer
	if json.Indent(&out, text, "", "  ") != nil {
		return nil, false
	}
	return out.Bytes(), true
}

// depth is how deep JSON is nested.
func depth(text []byte) (most int) {
	now, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			now++
			most = max(most, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return most
}

// hexRow is how many bytes a line in hexadecimal shows.
const hexRow = 16

// hexdump appends lines of offset, bytes and the characters that they are.
func (b *block) hexdump(payload []byte) {
	for at := 0; at < len(payload); at += hexRow {
		row := payload[at:min(at+hexRow, len(payload))]
		line := hex32(nil, uint32(at))
		for i := range hexRow {
			if i%8 == 0 {
				line = append(line, ' ')
			}
			line = append(line, ' ')
			if i < len(row) {
				line = hexBytes(line, row[i:i+1])
			} else {
				line = append(line, "  "...)
			}
		}
		line = append(line, "  |"...)
		for _, c := range row {
			if c < ' ' || c >= 0x7f {
				c = '.'
			}
			line = append(line, c)
		}
		b.line(blockIndent, append(line, '|'))
	}
}

// sizeFact is a size as "40 B", with the exact number where that is another.
func sizeFact(bytes int) string {
	if s := sizeText(int64(bytes)); bytes >= 1024 {
		return s + " (" + strconv.Itoa(bytes) + " bytes)"
	}
	return sizeText(int64(bytes))
}
