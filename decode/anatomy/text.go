package anatomy

import (
	"unicode"
	"unicode/utf8"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/decode/wire/jsontext"
)

// mostBeside is how many bytes of a payload stand as text beside its dump.
const mostBeside = 100

// text shows a payload as text where it is text; else the dump tells.
func (b *builder) text(data []byte) (value, json string) {
	most := b.options.MaxPayload
	if len(data) == 0 || most <= 0 || !isText(data) {
		return "", ""
	}
	shown := data[:min(most, len(data))]
	return string(wire.AppendVisible(nil, data, min(most, mostBeside))), string(jsontext.AppendText(nil, string(shown)))
}

// isText says whether bytes are UTF-8 without control characters other than
// those of lines.
func isText(data []byte) bool {
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 || unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' {
			return false
		}
		data = data[n:]
	}
	return true
}
