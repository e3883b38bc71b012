package render

import (
	"strings"
	"testing"
)

func sample() *sheet {
	return &sheet{
		kind: "topic", title: "TOPICS",
		columns: []sheetColumn{
			{title: "TOPIC", least: 8, names: true}, {title: "SENT", name: "sent", right: true, spare: 1},
			{title: "TYPE", name: "type", spare: 2}, {title: "NOTE", name: "note", least: 6},
		},
		rows: [][]styled{
			{{subject, "orders-of-the-day-1"}, {plain, "1 KiB"}, {plain, "Shared"}, {wrong, "three errors seen"}},
			{{subject, "東京"}, {plain, "12 KiB"}, {}, {}},
		},
	}
}

// TestSheetFits makes a table narrower and narrower: names lose their middle,
// then columns that can be spared are left out.
func TestSheetFits(t *testing.T) {
	for _, c := range []struct {
		width int
		want  string
	}{
		{0, "TOPIC                  SENT  TYPE    NOTE\norders-of-the-day-1   1 KiB  Shared  three errors seen\n東京                 12 KiB\n"},
		{46, "TOPIC             SENT  TYPE    NOTE\norders-…-day-1   1 KiB  Shared  three errors …\n東京            12 KiB\n"},
		{34, "TOPIC       SENT  TYPE    NOTE\norde…y-1   1 KiB  Shared  three e…\n東京      12 KiB\n"},
		{26, "TOPIC       SENT  NOTE\norde…y-1   1 KiB  three e…\n東京      12 KiB\n"},
		{20, "TOPIC      NOTE\norde…ay-1  three er…\n東京\n"},
	} {
		var b strings.Builder
		if err := sample().print(&b, &Options{Format: Table, Width: c.width}); err != nil {
			t.Fatal(err)
		}
		if got, want := b.String(), "\nTOPICS\n"+c.want; got != want {
			t.Errorf("width %d: got\n%q\nwant\n%q", c.width, got, want)
		}
	}
}

func TestSheetLines(t *testing.T) {
	var b strings.Builder
	if err := sample().print(&b, &Options{Format: Compact, Width: 20}); err != nil {
		t.Fatal(err)
	}
	want := "topic orders-of-the-day-1 sent=1KiB type=Shared note=\"three errors seen\"\ntopic 東京 sent=12KiB\n"
	if got := b.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestEmptySheetIsSilent(t *testing.T) {
	var b strings.Builder
	s := sample()
	s.rows = nil
	if err := s.print(&b, &Options{Format: Table}); err != nil || b.Len() > 0 {
		t.Errorf("got %q, %v", b.String(), err)
	}
}
