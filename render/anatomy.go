package render

import (
	"slices"
	"strconv"
	"strings"

	"pulsar-dissect/decode/anatomy"
)

// tree writes an anatomy: bytes left, what they mean right. Every byte stands
// there once.
type tree struct {
	*line
	options *Options
	anatomy *anatomy.Anatomy
	row     int // bytes of a row of the dump
	text    []byte
}

// Bytes in a row of a dump.
const (
	narrowRow = 8
	wideRow   = 16
	wideDump  = 130 // columns of a terminal that has room for wide rows
)

// Rows of a dump that are shown of what is no payload.
const valueRows = 16

func appendAnatomy(dst []byte, l *line, o *Options, a *anatomy.Anatomy) []byte {
	t := &tree{line: l, options: o, anatomy: a, row: narrowRow, text: dst}
	if o.Width >= wideDump {
		t.row = wideRow
	}
	if o.Format == Compact {
		for i := range a.Parts {
			t.terse(&a.Parts[i], "")
		}
	} else {
		t.parts(a.Parts, 0, 0, len(a.Buffers[0].Bytes), 0)
	}
	for _, fault := range a.Faults {
		t.begin()
		t.puts(wrong, marks[wrong]+" "+visible(fault))
		t.text = append(t.text, t.end()...)
	}
	return t.text
}

// parts writes parts that lie in the bytes [from, to) of a buffer, and the bytes
// between them.
func (t *tree) parts(parts []anatomy.Part, buffer, from, to, depth int) {
	for i := range parts {
		p := &parts[i]
		if p.Buffer != buffer {
			t.otherBuffer(p.Buffer)
			t.parts(parts[i:], p.Buffer, 0, len(t.anatomy.Buffers[p.Buffer].Bytes), depth)
			break
		}
		t.between(buffer, from, p.Start, depth)
		t.part(p, depth)
		from = p.End
	}
	t.between(buffer, from, to, depth)
}

// between writes bytes that no part explains: tag and length of packed values,
// or what could not be read.
func (t *tree) between(buffer, from, to, depth int) {
	if from < to {
		t.dump(buffer, from, to, valueRows*t.row, false, func() { t.label(depth, "…") })
	}
}

// otherBuffer announces bytes that came out of others.
func (t *tree) otherBuffer(i int) {
	b := &t.anatomy.Buffers[i]
	t.begin()
	t.puts(heading, b.Name+", "+plural(len(b.Bytes), "byte")+":")
	t.text = append(t.text, t.end()...)
}

// part writes a part: with its own bytes, or if there are parts within, with tag
// and length.
func (t *tree) part(p *anatomy.Part, depth int) {
	describe := func() { t.describe(p, depth) }
	inside := len(p.Parts) > 0 && p.Parts[0].Buffer == p.Buffer
	end := p.End
	if inside {
		end = p.ValueStart
	}
	t.dump(p.Buffer, p.Start, end, t.shown(p), p.Hidden && !inside, describe)
	switch {
	case inside:
		t.parts(p.Parts, p.Buffer, p.ValueStart, p.End, depth+1)
	case len(p.Parts) > 0:
		t.parts(p.Parts, p.Buffer, 0, 0, depth+1)
	}
}

// shown is how many bytes of a part are dumped.
func (t *tree) shown(p *anatomy.Part) int {
	if p.Body {
		return t.options.MaxPayload
	}
	return valueRows * t.row
}

// dump writes rows of bytes. describe writes what stands beside the first one.
func (t *tree) dump(buffer, from, to, most int, hidden bool, describe func()) {
	shown := min(to, from+max(most, 0))
	if hidden {
		shown = from
	}
	at := from
	for first := true; first || at < shown; first = false {
		n := min(t.row, shown-at)
		t.begin()
		t.bytes(t.anatomy.Buffers[buffer].Bytes[at:at+n], at, from < to)
		if first {
			describe()
		}
		t.text = append(t.text, t.end()...)
		at += n
	}
	if rest := to - shown; rest > 0 && (shown > from || hidden) {
		t.begin()
		t.spaces(offsetDigits + 2)
		t.puts(faint, "… "+plural(rest, "byte")+map[bool]string{false: " more", true: " not shown"}[hidden])
		t.text = append(t.text, t.end()...)
	}
}

// bytes writes one row of a dump.
func (t *tree) bytes(b []byte, at int, offset bool) {
	if offset {
		t.puts(faint, hexOffset(int64(at)))
	}
	t.spaces(max(1, offsetDigits+2-t.at))
	start := t.at
	for _, c := range b {
		t.puts(subject, string([]byte{hexDigits[c>>4], hexDigits[c&15], ' '}))
	}
	t.spaces(start + 3*t.row + 1 - t.at)
	t.puts(faint, strings.TrimRight(printable(b), " "))
	t.spaces(start + 4*t.row + 3 - t.at)
}

func printable(b []byte) string {
	text := slices.Clone(b)
	for i, c := range text {
		if c < ' ' || c > '~' {
			text[i] = '.'
		}
	}
	return string(text)
}

func (t *tree) label(depth int, name string) {
	t.spaces(2 * depth)
	t.puts(plain, name)
}

// describe writes what a part is.
func (t *tree) describe(p *anatomy.Part, depth int) {
	t.label(depth, p.Name)
	if p.Number > 0 {
		t.words(faint, strconv.Itoa(int(p.Number))+" "+p.WireType)
	}
	if p.Value != "" {
		t.puts(plain, ":")
		t.words(good, p.Value)
	}
	if p.Meaning != "" {
		t.words(faint, "("+visible(p.Meaning)+")")
	}
	for _, f := range p.Faults {
		t.words(wrong, marks[wrong]+" "+visible(f))
	}
}

// terse writes a part on one line, with the names of those around it.
func (t *tree) terse(p *anatomy.Part, path string) {
	path += strings.ReplaceAll(p.Name, " ", "-")
	t.begin()
	t.puts(faint, strconv.Itoa(p.Buffer)+":"+hexRange(int64(p.Start), int64(p.End)))
	t.words(plain, path)
	if p.Value != "" {
		t.puts(plain, "=")
		t.puts(good, p.Value)
	}
	if p.Meaning != "" {
		t.words(faint, "("+visible(p.Meaning)+")")
	}
	for _, f := range p.Faults {
		t.words(wrong, "fault="+strconv.Quote(visible(f)))
	}
	t.text = append(t.text, t.end()...)
	for i := range p.Parts {
		t.terse(&p.Parts[i], path+".")
	}
}
