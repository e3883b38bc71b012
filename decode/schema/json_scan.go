package schema

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// jsonToken is what begins a value: the first byte says what it is ('{', '[',
// '"', 't', 'f', 'n', or '0' for a number); text is that of a string, without
// quotes and escapes, or of a number.
type jsonToken struct {
	kind byte
	text []byte
}

// jsonScanner cuts JSON (RFC 8259) into tokens. The library's own decoder
// allocates each of them.
type jsonScanner struct {
	*writer
	b  []byte
	at int
}

// space goes to the next byte that is no white space, and gives it; 0 at the
// end.
func (r *jsonScanner) space() byte {
	for ; r.at < len(r.b); r.at++ {
		switch c := r.b[r.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// bad says that the payload is not JSON from here on.
func (r *jsonScanner) bad(expected string) bool {
	if r.at >= len(r.b) {
		return r.fail("not JSON: it ends at byte %d, expected %s", r.at, expected)
	}
	return r.fail("not JSON: byte %d is %q, expected %s", r.at, r.b[r.at], expected)
}

// jsonWords are the values that are words.
var jsonWords = map[byte]string{'t': "true", 'f': "false", 'n': "null"}

// token reads what begins the next value.
func (r *jsonScanner) token() (t jsonToken, ok bool) {
	switch c := r.space(); {
	case c == '{' || c == '[':
		r.at++
		return jsonToken{kind: c}, true
	case c == '"':
		t.kind = c
		t.text, ok = r.string()
		return t, ok
	case c == '-' || c >= '0' && c <= '9':
		t.kind = '0'
		t.text, ok = r.number()
		return t, ok
	case jsonWords[c] != "":
		if word := jsonWords[c]; bytes.HasPrefix(r.b[r.at:], []byte(word)) {
			r.at += len(word)
			return jsonToken{kind: c}, true
		}
	}
	return t, r.bad("a value")
}

// string reads a string. Only one with escapes is copied.
func (r *jsonScanner) string() ([]byte, bool) {
	start, escaped := r.at, false
	for r.at++; r.at < len(r.b); r.at++ {
		switch c := r.b[r.at]; {
		case c == '\\':
			escaped = true
			r.at++
		case c < ' ':
			return nil, r.bad("no control character in a string")
		case c == '"':
			r.at++
			return r.unquote(r.b[start:r.at], escaped)
		}
	}
	r.at = len(r.b)
	return nil, r.bad("the end of a string")
}

func (r *jsonScanner) unquote(quoted []byte, escaped bool) ([]byte, bool) {
	inner := quoted[1 : len(quoted)-1]
	if !utf8.Valid(inner) {
		return nil, r.fail("not JSON: a string that is not UTF-8 ends at byte %d", r.at)
	}
	if !escaped {
		return inner, true
	}
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		return nil, r.fail("not JSON: a string with a wrong escape ends at byte %d", r.at)
	}
	return []byte(text), true
}

// number reads a number: the grammar is that of RFC 8259, section 6.
func (r *jsonScanner) number() ([]byte, bool) {
	start := r.at
	r.skip("-")
	if !r.skip("0") && !r.digits() {
		return nil, r.bad("a digit")
	}
	if r.skip(".") && !r.digits() {
		return nil, r.bad("a digit")
	}
	if r.skip("eE") {
		r.skip("+-")
		if !r.digits() {
			return nil, r.bad("a digit")
		}
	}
	return r.b[start:r.at], true
}

// skip goes over one of some bytes, if there is one.
func (r *jsonScanner) skip(any string) bool {
	if r.at < len(r.b) && bytes.IndexByte([]byte(any), r.b[r.at]) >= 0 {
		r.at++
		return true
	}
	return false
}

func (r *jsonScanner) digits() bool {
	start := r.at
	for r.at < len(r.b) && r.b[r.at] >= '0' && r.b[r.at] <= '9' {
		r.at++
	}
	return r.at > start
}
