package render

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// lineUp adds rows: digits that are their time in seconds and their text.
func lineUp(l *lineup, rows string) {
	for _, r := range rows {
		l.add(int64(r-'0')*int64(time.Second), []byte(string(r))) //nolint:errcheck // a buffer takes all
	}
}

func TestLineup(t *testing.T) {
	for _, c := range []struct {
		name, rows, want string
		live             bool
	}{
		{"in order", "12345", "12345", false},
		{"two seconds late", "13425", "12345", false},
		{"late after a pause", "1392", "1239", false},
		{"too late stands where it comes", "1592", "1259", false},
		{"far too late", "159:2", "1529:", false},
		{"live as it comes", "13425", "13425", true},
	} {
		var out bytes.Buffer
		l := lineup{w: &out, live: c.live}
		lineUp(&l, c.rows)
		if err := l.close(); err != nil || out.String() != c.want {
			t.Errorf("%s: got %s, %v, want %s", c.name, out.String(), err, c.want)
		}
	}
}

// Rows of the same time keep their order, and no more than the limit wait.
func TestLineupLimit(t *testing.T) {
	var out bytes.Buffer
	l := lineup{w: &out}
	for range lineupRows {
		l.add(1, []byte("a")) //nolint:errcheck // a buffer takes all
	}
	if out.Len() != 0 {
		t.Fatalf("%d rows written early", out.Len())
	}
	l.add(1, []byte("b")) //nolint:errcheck // a buffer takes all
	if out.Len() != 1 || len(l.rows) != lineupRows {
		t.Errorf("%d rows written, %d held", out.Len(), len(l.rows))
	}
	l.close() //nolint:errcheck // a buffer takes all
	if !strings.HasSuffix(out.String(), "aab") {
		t.Error("the order is not kept")
	}
}
