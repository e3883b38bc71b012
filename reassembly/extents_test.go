package reassembly

import (
	"iter"
	"reflect"
	"testing"
)

func dataOf(events ...Event) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		for i := range events {
			if !yield(&events[i], nil) {
				return
			}
		}
	}
}

// The bytes of a stream are told by packet, cut to what is asked for.
func TestExtents(t *testing.T) {
	a, b := &Conn{ID: 1}, &Conn{ID: 2}
	at := func(n uint64) Position { return Position{Packet: n, Order: n} }
	var x Extents
	n := 0
	for _, err := range x.Watch(dataOf(
		Event{Kind: Data, Conn: a, Offset: 0, Data: make([]byte, 10), At: at(1)},
		Event{Kind: Data, Conn: b, Offset: 0, Data: make([]byte, 100), At: at(2)},
		Event{Kind: Gap, Conn: a, Offset: 10, Bytes: 5, At: at(3)},
		Event{Kind: Data, Conn: a, Side: 1, Offset: 0, Data: make([]byte, 100), At: at(4)},
		Event{Kind: Data, Conn: a, Offset: 15, Data: make([]byte, 10), At: at(5)},
	)) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != 5 {
		t.Errorf("%d events passed on, want 5", n)
	}
	want := []Extent{{4, 10, at(1)}, {15, 20, at(5)}}
	if got := x.Of(1, 0, 4, 20); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := x.Of(1, 0, 10, 15); got != nil {
		t.Errorf("in the gap: %v", got)
	}
}

// Only the latest ones are kept.
func TestExtentsForget(t *testing.T) {
	c := &Conn{}
	var x Extents
	for i := range int64(rememberedExtents + 3) {
		for _, err := range x.Watch(dataOf(Event{Kind: Data, Conn: c, Offset: i, Data: make([]byte, 1)})) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	got := x.Of(0, 0, 0, 10)
	if len(got) != 7 || got[0].From != 3 || got[6].From != 9 {
		t.Errorf("%v", got)
	}
}
