package render

import (
	"strconv"
	"strings"
	"testing"

	"pulsar-dissect/decode"
)

// put adds a row with a text, which waits for the SEND at an offset unless that
// is below 0.
func put(q *waitingRows, text string, offset int64) {
	r := q.add()
	r.text = append(r.text, text...)
	for i := range r.ends {
		r.ends[i] = int32(len(r.text))
	}
	r.ends[rowID-1] = r.ends[rowID] // the id is empty
	if offset >= 0 {
		q.wait(r, place{1, decode.ClientToServer, offset})
	}
}

// drain gives the texts and ids of the rows that may be written.
func drain(q *waitingRows, all bool) string {
	var out []string
	for r := q.next(all); r != nil; r = q.next(all) {
		text := string(r.text)
		if r.waits {
			text += "?"
		}
		out = append(out, text+string(r.given))
	}
	return strings.Join(out, " ")
}

func at(offset int64) place { return place{1, decode.ClientToServer, offset} }

func TestRowsWaitInOrder(t *testing.T) {
	q := newWaitingRows(100, 1000)
	steps := []struct {
		do   func()
		want string
	}{
		{func() { put(&q, "a", -1) }, "a"},
		{func() { put(&q, "b", 10) }, ""},
		{func() { put(&q, "b2", 10) }, ""}, // another message of the same SEND
		{func() { put(&q, "c", -1) }, ""},  // waits behind b
		{func() { put(&q, "d", 20) }, ""},
		{func() { q.settle(at(20), []byte("=2:2")) }, ""}, // the later one first
		{func() { q.settle(at(10), []byte("=1:1")) }, "b=1:1 b2=1:1 c d=2:2"},
		{func() { q.settle(at(10), []byte("=9:9")) }, ""}, // nobody waits
		{func() { put(&q, "e", 10) }, ""},                 // the same offset again
		{func() { q.settle(at(10), []byte("=3:3")) }, "e=3:3"},
	}
	for i, s := range steps {
		s.do()
		if got := drain(&q, false); got != s.want {
			t.Fatalf("step %d: got %q, want %q", i, got, s.want)
		}
	}
	if q.len() != 0 || len(q.waiting) != 0 {
		t.Errorf("%d rows and %d SENDs left", q.len(), len(q.waiting))
	}
}

// TestRowsAreBounded holds that the first rows go without their ids when too
// many wait, and that a receipt which comes later does no harm.
func TestRowsAreBounded(t *testing.T) {
	q := newWaitingRows(3, 1000)
	var got []string
	for i := range int64(5) {
		put(&q, string(rune('a'+i)), i)
		got = append(got, drain(&q, false))
	}
	if want := "   a? b?"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	put(&q, "f", -1) // takes the memory of a row that was given up
	q.settle(at(0), []byte("=late"))
	q.settle(at(2), []byte("=2"))
	if got, want := drain(&q, false), "c=2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := drain(&q, true), "d? e? f"; got != want {
		t.Errorf("at the end: got %q, want %q", got, want)
	}
}

func TestRowsAreBoundedInBytes(t *testing.T) {
	q := newWaitingRows(100, 25)
	for i := range int64(3) {
		put(&q, strings.Repeat(strconv.Itoa(int(i)), 10), i)
		want := ""
		if i == 2 {
			want = "0000000000?"
		}
		if got := drain(&q, false); got != want {
			t.Errorf("after row %d: got %q, want %q", i, got, want)
		}
	}
	if q.size != 20 {
		t.Errorf("%d bytes are counted, 20 wait", q.size)
	}
}

func TestRowsOfEndedConnection(t *testing.T) {
	q := newWaitingRows(100, 1000)
	put(&q, "a", 1)
	put(&q, "b", 2)
	q.settleAll(7)
	if got := drain(&q, false); got != "" {
		t.Errorf("another connection ended, got %q", got)
	}
	q.settleAll(1)
	if got, want := drain(&q, false), "a- b-"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestRowsReuseMemory holds that a stream of rows that come and go allocates
// nothing.
func TestRowsReuseMemory(t *testing.T) {
	q := newWaitingRows(100, 1000)
	step := func() {
		put(&q, "row", 1)
		q.settle(at(1), []byte("1:1"))
		for q.next(false) != nil {
			continue
		}
	}
	step()
	if n := testing.AllocsPerRun(1000, step); n > 0 {
		t.Errorf("%v allocations a row", n)
	}
}
