package manual

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What is written is not stale; what is changed, missing or too many is told.
func TestStale(t *testing.T) {
	dir := t.TempDir()
	pages := Pages{"commands/a.md": "one\ntwo\n", "man/a.1": "text\n", "top.svg": "<svg/>"}
	if err := pages.Write(dir); err != nil {
		t.Fatal(err)
	}
	if got, err := pages.Stale(dir); err != nil || len(got) > 0 {
		t.Fatalf("stale after Write: %q, %v", got, err)
	}
	change(t, filepath.Join(dir, "commands", "a.md"), "one\n2\n")
	change(t, filepath.Join(dir, "commands", "old.md"), "old")
	if err := os.Remove(filepath.Join(dir, "top.svg")); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`commands/a.md is not current: line 2 is "2", not "two"`,
		"commands/old.md is of nothing that there is",
		"top.svg is missing",
	}
	got, err := pages.Stale(dir)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v\nwant %q", got, err, want)
	}
}

func change(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What Markdown and roff would take for more than text stays text.
func TestEscapes(t *testing.T) {
	for _, x := range []struct{ got, want string }{
		{cell("a|b *c* <d>\ne_f"), `a\|b \*c\* &lt;d> e\_f`},
		{roff(`a-b \n`), `a\-b \en`},
		{roffLines(".TH\n'x\nplain"), "\\&.TH\n\\&'x\nplain"},
	} {
		if x.got != x.want {
			t.Errorf("got %q, want %q", x.got, x.want)
		}
	}
}

// Words keep their column, and colours end where the sequence says.
func TestScreenshot(t *testing.T) {
	svg := Screenshot("\x1b[31mred <x>\x1b[0m  plain\n\x1b[1;2mdim\x1b[22m")
	for _, want := range []string{
		`<text x="16.0" y="30" fill="#ff7b72">red</text>`,
		`<text x="49.7" y="30" fill="#ff7b72">&lt;x&gt;</text>`,
		`<text x="91.9" y="30">plain</text>`,
		`<text x="16.0" y="49" font-weight="bold" opacity="0.65">dim</text>`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
}

// A table of fields follows the order of the document, with members of objects
// and of items of lists behind them.
func TestSchema(t *testing.T) {
	pages, err := Schema([]byte(`{"oneOf":[{"$ref":"#/$defs/z"}],"$defs":{
		"z":{"description":"A kind","type":"object","required":["b"],"properties":{
			"b":{"type":"array","items":{"type":"object","properties":{"c":{"$ref":"#/$defs/Cmd"}}}},
			"a":{"enum":["x","y"],"description":"one|two"}}},
		"Cmd":{"type":"object","properties":{}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := "## z\n\nA kind.\n\n| field | always | type | what it is |\n|---|---|---|---|\n" +
		"| `b` | ✓ | list of object |  |\n" +
		"| `b[].c` |  | [Cmd](structures.md#cmd) |  |\n" +
		"| `a` |  | `x`, `y` | one\\|two |\n"
	if got := pages["schema/records.md"]; !strings.Contains(got, want) {
		t.Errorf("no\n%s\nin\n%s", want, got)
	}
	if got := pages["schema/structures.md"]; !strings.Contains(got, "\n## Cmd\n") {
		t.Errorf("no Cmd in\n%s", got)
	}
}
