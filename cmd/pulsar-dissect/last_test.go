package main

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

// Only the last rows come through; what is written ahead of them and after
// does always.
func TestLastRows(t *testing.T) {
	for _, v := range []struct {
		n, rows int
		want    string
	}{
		{0, 3, "title 1 2 3 end"}, {2, 0, "title end"}, {2, 1, "title 1 end"}, {2, 2, "title 1 2 end"}, {2, 3, "title 2 3 end"}, {3, 100, "title 98 99 100 end"},
	} {
		var out bytes.Buffer
		l := newLastRows(&out, v.n)
		io.WriteString(l, "title ") //nolint:errcheck // a buffer takes all
		l.begin()
		row := make([]byte, 0, 16)
		for i := range v.rows {
			row = fmt.Appendf(row[:0], "%d ", i+1) // the caller uses its buffer again
			if n, err := l.Write(row); n != len(row) || err != nil {
				t.Fatal(n, err)
			}
		}
		if err := l.end(); err != nil {
			t.Fatal(err)
		}
		io.WriteString(l, "end") //nolint:errcheck // a buffer takes all
		if out.String() != v.want {
			t.Errorf("last %d of %d: got %s, want %s", v.n, v.rows, out.String(), v.want)
		}
	}
}
