package report

import "bytes"

// block gathers records as one JSON array for a block of data of the page: one record
// a line, so that the page can take them one by one. Each Write is a record with its
// line end, as a render.Sink writes them.
type block struct{ text []byte }

// Write takes a record.
func (b *block) Write(record []byte) (int, error) {
	separator := "[\n"
	if b.text != nil {
		separator = ",\n"
	}
	b.text = appendHarmless(append(b.text, separator...), bytes.TrimSuffix(record, []byte("\n")))
	return len(record), nil
}

// array is the whole.
func (b *block) array() []byte {
	if b.text == nil {
		return []byte("[]")
	}
	return append(b.text, "\n]"...)
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
