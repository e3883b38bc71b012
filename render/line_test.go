package render

import (
	"strings"
	"testing"
)

func rowOf(g *grid, l *line, texts ...string) string {
	l.begin()
	for i, text := range texts {
		g.cell(l, i, plain, []byte(text))
	}
	return strings.TrimSuffix(string(l.end()), "\n")
}

func TestGrid(t *testing.T) {
	columns := []column{
		{title: "SIZE", width: 6, right: true}, {title: "NAME", width: 5, cut: true}, {title: "TYPE", width: 4},
		{title: "MIDDLE", width: 7, cut: true, names: true}, {title: "REST"},
	}
	for _, c := range []struct {
		options Options
		in      []string
		want    string
	}{
		{Options{}, []string{"1 B", "abc", "SEND", "orders", "rest"}, "   1 B abc   SEND orders  rest"},
		{Options{}, []string{"1 B", "abcdefg", "SEND", "orders-1-of-9", ""}, "   1 B abcd… SEND ord…f-9"},
		{Options{}, []string{"", "", "SEND_RECEIPT", "x", "y"}, "             SEND_RECEIPT x y"},
		{Options{}, []string{"1 B", "東京都", "SEND", "x", "y"}, "   1 B 東京… SEND x       y"},
		{Options{Width: 30}, []string{"1 B", "abc", "SEND", "orders", "rest of it"}, "   1 B abc   SEND orders  res…"},
		{Options{Format: Compact, Width: 10}, []string{"1 B", "abcdefg", "", "orders-1-of-9", "rest of it"}, "1B abcdefg - orders-1-of-9 rest of it"},
	} {
		l := newLine(&c.options)
		if got := rowOf(newGrid(&c.options, columns), &l, c.in...); got != c.want {
			t.Errorf("%q with %+v:\ngot  %q\nwant %q", c.in, c.options, got, c.want)
		}
	}
	head := newLine(&Options{})
	if got, want := string(newGrid(&Options{}, columns).head(&head)), "  SIZE NAME  TYPE MIDDLE  REST\n"; got != want {
		t.Errorf("head: got %q, want %q", got, want)
	}
	if got := newGrid(&Options{Format: Compact}, columns).head(&head); got != nil {
		t.Errorf("head of terse lines: got %q", got)
	}
}

// TestLineColors holds that colour takes no columns, and that a cut line ends
// it.
func TestLineColors(t *testing.T) {
	l := newLine(&Options{Color: true, Width: 6})
	l.begin()
	l.puts(wrong, "abc")
	l.puts(good, "defghi")
	l.puts(plain, "never shown")
	want := "\x1b[31;1mabc\x1b[0;22m\x1b[32mde…\x1b[0m\n"
	if got := string(l.end()); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPaletteWithoutColor(t *testing.T) {
	for s := plain; s < styles; s++ {
		if got := newPalette(false).paint(s, "text"); got != "text" {
			t.Errorf("style %d without colour: %q", s, got)
		}
		if got := newPalette(true).paint(s, "text"); s != plain && (got == "text" || !strings.Contains(got, "text")) {
			t.Errorf("style %d with colour: %q", s, got)
		}
	}
}

func TestWrapping(t *testing.T) {
	l := newLine(&Options{Width: 20})
	got := string(appendWrapped(nil, &l, plain, "✗ ", "one two three four five averyveryverylongwordthatdoesnotfit six"))
	want := "✗ one two three four\n    five\n    averyveryverylo…\n    six\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
