package render

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// widths is how a terminal lays out text, whatever the locale of this one says.
var widths = &runewidth.Condition{StrictEmojiNeutral: true}

// appendVisible appends text from the wire so that it can go to a terminal: all
// that a terminal could obey, or that turns or hides the text around it (C0 and
// C1 controls, bidirectional and other format characters, line separators,
// bytes that are not UTF-8) is shown as an escape, and a backslash is doubled so
// that escapes cannot be imitated.
func appendVisible[T string | []byte](dst []byte, s T) []byte {
	if plainASCII(s) {
		return append(dst, s...)
	}
	return appendEscaped(dst, string(s), `\\`)
}

// appendVisibleJSON is appendVisible for JSON, whose own escapes have doubled
// the backslashes already.
func appendVisibleJSON(dst, s []byte) []byte { return appendEscaped(dst, string(s), `\`) }

// appendEscaped appends text with escapes for what a terminal could obey, and
// something for a backslash.
func appendEscaped(dst []byte, text, backslash string) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			dst = appendEscapedByte(dst, text[0])
		case r == '\\':
			dst = append(dst, backslash...)
		case strconv.IsPrint(r):
			dst = append(dst, text[:size]...)
		default:
			dst = appendEscape(dst, r)
		}
		text = text[size:]
	}
	return dst
}

// appendEscapedByte appends the escape of a byte that is not UTF-8.
func appendEscapedByte(dst []byte, c byte) []byte {
	return append(dst, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
}

// appendEscape appends the escape that a Go string literal has for r.
func appendEscape(dst []byte, r rune) []byte {
	quoted := strconv.AppendQuoteRuneToASCII(dst, r)
	return append(quoted[:len(dst)], quoted[len(dst)+1:len(quoted)-1]...)
}

// plainASCII says whether text is fit for a terminal as it is, and one column a
// byte.
func plainASCII[T string | []byte](s T) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '\\' {
			return false
		}
	}
	return true
}

// displayWidth is how many columns of a terminal visible text takes.
func displayWidth(s []byte) int {
	for _, c := range s {
		if c >= 0x7f {
			return widths.StringWidth(string(s))
		}
	}
	return len(s)
}

// cutToWidth gives the start of visible text that fits into so many columns; an
// ellipsis stands for what was cut.
func cutToWidth(s []byte, columns int) []byte {
	if displayWidth(s) <= columns {
		return s
	}
	if columns <= 0 {
		return nil
	}
	return []byte(widths.Truncate(string(s), columns, "…"))
}

// cutMiddle is cutToWidth for names, whose ends tell them apart as well as their
// beginnings do.
func cutMiddle(s []byte, columns int) []byte {
	if displayWidth(s) <= columns || columns < 3 {
		return cutToWidth(s, columns)
	}
	tail := (columns - 1) / 2
	head := widths.Truncate(string(s), columns-tail, "…")
	end := widths.TruncateLeft(string(s), displayWidth(s)-tail, "")
	return append([]byte(head), strings.TrimLeft(end, " ")...) // a space stands for half of a wide character
}
