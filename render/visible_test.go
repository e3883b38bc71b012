package render

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"orders", "orders"},
		{"two words, and \"quotes\"", "two words, and \"quotes\""},
		{"grüße 東京 🙂", "grüße 東京 🙂"},
		{"a\nb\tc\r", `a\nb\tc\r`},
		{"\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"\x00\x07\x08\x7f", `\x00\a\b\x7f`},
		{"\u009b31m", `\u009b31m`}, // CSI as one C1 character
		{"\u202egnp.exe\u202c", `\u202egnp.exe\u202c`},
		{"a\u2066b\u2069", `a\u2066b\u2069`},
		{"zero\u200bwidth\ufeff", `zero\u200bwidth\ufeff`},
		{"line\u2028separator", `line\u2028separator`},
		{"\xff\xfeab\xc3", `\xff\xfeab\xc3`},
		{"\x9b31m", `\x9b31m`}, // CSI as a byte that is not UTF-8
		{"\U000e0041", `\U000e0041`},
		{`\x1b`, `\\x1b`}, // imitated
	} {
		if got := string(appendVisible(nil, c.in)); got != c.want {
			t.Errorf("%q: got %s, want %s", c.in, got, c.want)
		}
		if got := string(appendVisible([]byte("x"), []byte(c.in))); got != "x"+c.want {
			t.Errorf("%q as bytes: got %s, want x%s", c.in, got, c.want)
		}
	}
}

// FuzzVisible holds that nothing is left that a terminal could obey, and that
// different texts stay different.
func FuzzVisible(f *testing.F) {
	for _, s := range []string{"persistent://public/default/orders", "\x1b]0;title\x07", "\u202e\xff\\x1b", "\xed\xa0\x80", "\ufffd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := string(appendVisible(nil, s))
		if !fitForTerminal(got) {
			t.Errorf("%q: %q is not fit for a terminal", s, got)
		}
		back, err := strconv.Unquote(`"` + strings.ReplaceAll(got, `"`, `\"`) + `"`)
		if err != nil || back != s {
			t.Errorf("%q: %q reads as %q (%v)", s, got, back, err)
		}
	})
}

// fitForTerminal says whether text is one line of printable UTF-8.
func fitForTerminal(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0
}

func TestCutToWidth(t *testing.T) {
	for _, c := range []struct {
		in      string
		columns int
		end     string
		middle  string
	}{
		{"orders", 6, "orders", "orders"},
		{"orders", 5, "orde…", "or…rs"},
		{"orders", 1, "…", "…"},
		{"orders", 0, "", ""},
		{"東京東京", 8, "東京東京", "東京東京"},
		{"東京東京", 5, "東京…", "東…京"},
		{"東京東京", 4, "東…", "東…"},
		{"orders-small-pd-59365", 12, "orders-smal…", "orders…59365"},
	} {
		if got := string(cutToWidth([]byte(c.in), c.columns)); got != c.end {
			t.Errorf("%q in %d columns: got %q, want %q", c.in, c.columns, got, c.end)
		}
		got := string(cutMiddle([]byte(c.in), c.columns))
		if got != c.middle {
			t.Errorf("%q in %d columns, middle: got %q, want %q", c.in, c.columns, got, c.middle)
		}
		if displayWidth([]byte(got)) > c.columns {
			t.Errorf("%q takes more than %d columns", got, c.columns)
		}
	}
}
