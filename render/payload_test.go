package render

import (
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
)

func TestContents(t *testing.T) {
	for _, c := range []struct {
		name    string
		payload string
		width   int
		most    int
		want    []string
	}{
		{"an object", `{"a":[1,2],"b":"x\ny"}`, 0, 100, []string{"    {", `      "a": [`, "        1,", "        2", "      ],", `      "b": "x\ny"`, "    }"}},
		{"large numbers stay as they are", ` [18446744073709551615,1e400]`, 0, 100, []string{"    [", "      18446744073709551615,", "      1e400", "    ]"}},
		{"JSON that is cut is text", `{"a":1,"b":2}`, 0, 7, []string{`    {"a":1,`, "    … and 6 bytes more (--max-payload)"}},
		{"a number is text", "42", 0, 100, []string{"    42"}},
		{"no JSON", "{not", 0, 100, []string{"    {not"}},
		{"lines", "one\r\ntwo\tx\n", 0, 100, []string{"    one", `    two\tx`}},
		{"what a terminal could obey", "a\u202eb\u009bc", 0, 100, []string{`    a\u202eb\u009bc`}},
		{"in JSON, too", "{\"a\":\"\u202e\\\\\"}", 0, 100, []string{"    {", `      "a": "\u202e\\"`, "    }"}},
		{"a line that is too wide", "abcdefghijklm", 12, 100, []string{"    abcdefgh", "    ijklm"}},
		{"wide characters", "日本語日本語", 12, 100, []string{"    日本語日", "    本語"}},
		{"bytes", "\x00\x01hello, world\xff~~", 0, 100, []string{
			"  00000000  00 01 68 65 6c 6c 6f 2c  20 77 6f 72 6c 64 ff 7e  |..hello, world.~|",
			"  00000010  7e                                                |~|"}},
		{"bytes that are cut", "\x00\x01\x02", 0, 2, []string{
			"  00000000  00 01                                             |..|", "    … and 1 byte more (--max-payload)"}},
		{"nothing", "", 0, 100, nil},
	} {
		b := block{width: c.width}
		b.contents([]byte(c.payload), c.most)
		if got := string(b.text); got != strings.Join(append(c.want, ""), "\n") {
			t.Errorf("%s:\n%s\nexpected:\n%s", c.name, got, strings.Join(c.want, "\n"))
		}
	}
}

// JSON that is nested so deep that its indents would be most of it is text.
func TestDeepJSON(t *testing.T) {
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	if _, ok := indented(nested(deepest)); !ok {
		t.Error("not at the limit")
	}
	if _, ok := indented(nested(deepest + 1)); ok {
		t.Error("above the limit")
	}
	if _, ok := indented([]byte(`["` + strings.Repeat("[", 100) + `\"["]`)); !ok {
		t.Error("brackets in a text count")
	}
}

// Whatever is in a payload, no line is wider than the terminal.
func FuzzContents(f *testing.F) {
	f.Add([]byte(`{"a":[1,2]}`), 40)
	f.Add([]byte("text\nof lines\u202e"), 20)
	f.Add([]byte{0, 1, 2, 0xff}, 80)
	f.Fuzz(func(t *testing.T, payload []byte, width int) {
		b := block{width: 80 + (width&0x7fffffff)%100}
		b.contents(payload, 4096)
		for line := range strings.Lines(string(b.text)) {
			line = strings.TrimSuffix(line, "\n")
			if runewidth.StringWidth(line) > b.width || strings.ContainsAny(line, "\x1b\r\u202e\u009b") {
				t.Errorf("width %d: %q", b.width, line)
			}
		}
	})
}
