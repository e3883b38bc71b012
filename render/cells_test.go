package render

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// Values are as in JSON; what a spreadsheet would take for a formula is none.
func TestCellRow(t *testing.T) {
	record := `{"a":"plain","n":-1,"big":18446744073709551615,"f":"=1+1","m":"-x","q":"say \"hi\", you","l":"two\nlines\tand tab",
		"o":{"in":{"x":"@deep"}},"e":[{"p":1},{"p":22}],"list":[1,2]}`
	columns := []string{"a", "n", "big", "f", "m", "q", "l", "o.in.x", "e[].p", "list", "o.in", "none", "none.deeper", "a.deeper"}
	want := []string{"plain", "-1", "18446744073709551615", "'=1+1", "'-x", `say "hi", you`, "two\nlines\tand tab", "'@deep", "1 22", "[1,2]",
		`{"x":"@deep"}`, "", "", ""}
	table := cellTable{columns: columns, format: CSV}
	text := bytes.Clone(table.head())
	text = append(text, table.row([]byte(record), nil)...)
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Split("a n big f m q l o.in.x e.p list o.in none none.deeper a.deeper", " ")
	if len(rows) != 2 || !reflect.DeepEqual(rows[0], names) || !reflect.DeepEqual(rows[1], want) {
		t.Errorf("%q", rows)
	}
	table.format = TSV
	if got := string(table.row([]byte(record), nil)); !strings.Contains(got, "\ttwo\\nlines\\tand tab\t") || strings.Count(got, "\t") != len(columns)-1 || strings.Count(got, "\n") != 1 {
		t.Errorf("%q", got)
	}
}

// What a terminal would obey, and what turns the text around it, is an escape in
// both, while tabs and line ends stay what each format has for them.
func TestCellsForTerminals(t *testing.T) {
	record := []byte(`{"a":"\u001b[31m\u0000\u007f\u009b\u202e\u2066é\u00a0\n\\"}`)
	around := "\xff\x1b"
	for format, want := range map[Format]string{
		CSV: "\"\\x1b[31m\\x00\\x7f\\u009b\\u202e\\u2066é\u00a0\n\\\"",
		TSV: "\\x1b[31m\\x00\\x7f\\u009b\\u202e\\u2066é\u00a0\\n\\\\",
	} {
		table := cellTable{columns: []string{"a"}, format: format}
		if got := string(table.row(record, nil)); got != want+"\n" {
			t.Errorf("%s: %q, want %q", format, got, want)
		}
		table.buf = nil
		if table.cell(0, around); string(table.buf) != `\xff\x1b` {
			t.Errorf("%s: %q", format, table.buf)
		}
	}
}

// Whatever text holds, a reader of CSV gets it back, guarded or not, with escapes
// for what a terminal would obey, and a row of TSV is one line with as many tabs
// as it has to have.
func FuzzCells(f *testing.F) {
	f.Add("=cmd", "a,b")
	f.Add("\r\n\"", "\t")
	f.Fuzz(func(t *testing.T, a, b string) {
		record, err := json.Marshal(map[string]string{"a": a, "b": b})
		if err != nil {
			t.Fatal(err)
		}
		var read map[string]string
		if err := json.Unmarshal(record, &read); err != nil { // what is not UTF-8 was replaced
			t.Fatal(err)
		}
		table := cellTable{columns: []string{"a", "b"}, format: CSV}
		r := csv.NewReader(bytes.NewReader(table.row(record, nil)))
		row, err := r.Read()
		if read["a"] == "" && read["b"] == "" {
			return
		}
		normal := func(text string) string {
			return strings.TrimPrefix(string(appendUnobeyed(nil, strings.ReplaceAll(text, "\r\n", "\n"))), "'") // the reader does so
		}
		if err != nil || len(row) != 2 || strings.TrimPrefix(row[0], "'") != normal(read["a"]) || strings.TrimPrefix(row[1], "'") != normal(read["b"]) {
			t.Fatalf("%q %q: %q, %v", a, b, row, err)
		}
		for _, cell := range row {
			if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r") {
				t.Fatalf("cell %q", cell)
			}
		}
		table.format = TSV
		if line := string(table.row(record, nil)); strings.Count(line, "\t") != 1 || strings.Count(line, "\n") != 1 {
			t.Fatalf("%q", line)
		}
	})
}
