package report

import (
	"bytes"
	"io"
)

// block writes records as one JSON array in a block of data of the page: one
// record a line, so that the page can take them one by one. Each Write is a
// record with its line end, as a render.Sink writes them.
type block struct {
	w    io.Writer
	rows int
	buf  []byte
}

// Write takes a record.
func (b *block) Write(record []byte) (int, error) {
	separator := "[\n"
	if b.rows > 0 {
		separator = ",\n"
	}
	b.rows++
	b.buf = appendHarmless(append(b.buf[:0], separator...), bytes.TrimSuffix(record, []byte("\n")))
	if _, err := b.w.Write(b.buf); err != nil {
		return 0, err
	}
	return len(record), nil
}

// end closes the array.
func (b *block) end() error {
	text := "\n]"
	if b.rows == 0 {
		text = "[]"
	}
	_, err := io.WriteString(b.w, text)
	return err
}

// open and shut are the markup around a block. Scripts of this type are data
// (HTML, section 4.12.1) and not run.
func open(id string) string { return `<script type="application/json" id="` + id + `">` }

const shut = "</script>\n"

// appendHarmless appends JSON in which no "<" is left: it stands within strings
// alone, and there as an escape it means the same. So neither "</script>" nor "<!--"
// can come about.
func appendHarmless(dst, json []byte) []byte {
	for {
		i := bytes.IndexByte(json, '<')
		if i < 0 {
			return append(dst, json...)
		}
		dst = append(append(dst, json[:i]...), `\u003c`...)
		json = json[i+1:]
	}
}
