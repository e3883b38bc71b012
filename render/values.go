package render

import (
	"strconv"
	"time"
	"unicode/utf8"

	"pulsar-dissect/decode/wire/jsontext"
)

// clock formats times as RFC 3339 with nanoseconds, UTC. It remembers the last
// second, and a few whole times: the records of one packet share theirs, and an
// exchange repeats those of its frames (12% of the time on small frames).
type clock struct {
	second int64
	prefix []byte // "2006-01-02T15:04:05. with the quote
	recent [recentTimes]moment
}

const recentTimes = 16 // a power of two

// moment is a time and its text.
type moment struct {
	ns   int64
	size uint8
	text [40]byte
}

func (c *clock) append(dst []byte, ns int64) []byte {
	m := &c.recent[uint64(ns)*0x9e3779b97f4a7c15>>60]
	if m.ns != ns || m.size == 0 {
		m.ns = ns
		m.size = uint8(len(c.format(m.text[:0], ns)))
	}
	return append(dst, m.text[:m.size]...)
}

func (c *clock) format(dst []byte, ns int64) []byte {
	second, rest := ns/1e9, ns%1e9
	if rest < 0 {
		second, rest = second-1, rest+1e9
	}
	if second != c.second || len(c.prefix) == 0 {
		c.second = second
		c.prefix = time.Unix(second, 0).UTC().AppendFormat(c.prefix[:0], `"2006-01-02T15:04:05.`)
	}
	dst = append(dst, c.prefix...)
	at := len(dst)
	dst = append(dst, "000000000"...)
	for i, r := len(dst)-1, uint32(rest); i >= at; i-- {
		dst[i] += byte(r % 10)
		r /= 10
	}
	return append(dst, 'Z', '"')
}

func number(dst []byte, name string, v int64) []byte {
	return jsontext.AppendInt(append(dst, name...), v)
}

func unsigned(dst []byte, name string, v uint64) []byte {
	return jsontext.AppendUint(append(dst, name...), v)
}

func truth(dst []byte, name string, v bool) []byte {
	return strconv.AppendBool(append(dst, name...), v)
}

func text(dst []byte, name, v string) []byte {
	return jsontext.AppendText(append(dst, name...), v)
}

// present appends a text unless it is empty.
func present(dst []byte, name, v string) []byte {
	if v == "" {
		return dst
	}
	return text(dst, name, v)
}

const hexDigits = "0123456789abcdef"

func hex32(dst []byte, v uint32) []byte {
	for shift := 28; shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[v>>shift&15])
	}
	return dst
}

func hexBytes(dst, b []byte) []byte {
	for _, c := range b {
		dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
	}
	return dst
}

// texts tells payloads that are text from others.
type texts struct{}

// cut gives the bytes of b to show, at most n, and whether they are text: valid
// UTF-8 without control characters other than white space.
func (texts) cut(b []byte, n int) (shown []byte, isText bool) {
	shown = b[:min(len(b), n)]
	if len(shown) < len(b) {
		for end := len(shown); end > 0 && end > len(shown)-utf8.UTFMax; end-- {
			if utf8.RuneStart(b[end]) {
				if plainText(b[:end]) {
					return b[:end], true
				}
				break
			}
		}
		return shown, false
	}
	return shown, plainText(shown)
}

func plainText(b []byte) bool {
	ascii := true
	for _, c := range b {
		if notText[c] {
			return false
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	return ascii || utf8.Valid(b)
}

// notText marks the control characters other than white space.
var notText = func() (t [256]bool) {
	for c := range t {
		t[c] = c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f
	}
	return t
}()
