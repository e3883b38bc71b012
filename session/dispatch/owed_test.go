package dispatch

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// slowOwed is the dumbest list that does the same.
type slowOwed struct{ list []owed }

func (l *slowOwed) add(x owed) {
	if !slices.ContainsFunc(l.list, func(y owed) bool { return y.Position == x.Position }) {
		l.list = append(l.list, x)
	}
}

func (l *slowOwed) take(p Position) bool {
	n := len(l.list)
	l.list = slices.DeleteFunc(l.list, func(y owed) bool { return y.Position == p })
	return len(l.list) < n
}

// TestOwedList holds the list against it, through growth, removal from the middle
// and many rounds of being empty.
func TestOwedList(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	inAll := 0
	l := owedList{inAll: &inAll}
	var slow slowOwed
	for step := range 60_000 {
		p := Position{1, r.Uint64N(3000)}
		if r.IntN(100) < 50+40*(step/10_000%2) { // now growing, now shrinking
			x := owed{Position: p, since: int64(step), again: r.IntN(2) == 0}
			l.add(x)
			slow.add(x)
		} else if was := l.take(p); was != slow.take(p) {
			t.Fatalf("step %d: %v was there: %v", step, p, was)
		}
		front := l.front()
		if l.len() != len(slow.list) || (front == nil) != (len(slow.list) == 0) || front != nil && !sameOwed(*front, slow.list[0]) {
			t.Fatalf("step %d: %d entries, front %v; expected %d", step, l.len(), front, len(slow.list))
		}
		if inAll != l.len() {
			t.Fatalf("step %d: %d in all, expected %d", step, inAll, l.len())
		}
		if step%1000 == 0 {
			fresh := 0
			for _, x := range slow.list {
				if !x.again {
					fresh++
				}
			}
			if l.fresh != fresh {
				t.Fatalf("step %d: %d fresh, expected %d", step, l.fresh, fresh)
			}
		}
	}
	if n := len(l.straight.list) + len(l.others.list); n > 3*3000 {
		t.Errorf("the list keeps %d places for %d entries", n, l.len())
	}
	if l.clear(); inAll != 0 {
		t.Errorf("%d in all of an empty list", inAll)
	}
}

func sameOwed(a, b owed) bool {
	return a.Position == b.Position && a.since == b.since && a.again == b.again
}

// TestPassOver: only what is fresh, lies before, and on Key_Shared has the key.
func TestPassOver(t *testing.T) {
	for keyed, left := range map[bool][]uint64{false: {5, 6}, true: {2, 3, 5, 6}} {
		l := owedList{inAll: new(int)}
		for _, x := range []owed{{Position: Position{1, 1}, key: "k"}, {Position: Position{1, 2}, key: "m"}, {Position: Position{1, 3}, key: "k"},
			{Position: Position{1, 5}, key: "k", again: true}, {Position: Position{1, 6}, key: "k"}} {
			l.add(x)
		}
		l.passOver(Position{1, 4}, "k", keyed)
		got := []uint64{}
		for x := l.front(); x != nil; x = l.front() {
			got = append(got, x.Entry)
			l.take(x.Position)
		}
		if !slices.Equal(got, left) {
			t.Errorf("keyed %v: left %v, expected %v", keyed, got, left)
		}
	}
}

// TestOpenList: entries leave from the ends and the middle.
func TestOpenList(t *testing.T) {
	var l openList
	es := make([]*Entry, 4)
	for i := range es {
		es[i] = &Entry{Position: Position{1, uint64(i)}, Left: int32(i + 1)}
		l.add(es[i])
	}
	l.remove(es[1])
	l.remove(es[0])
	l.remove(es[3])
	if l.oldest != es[2] || l.newest != es[2] || l.entries != 1 || l.messages != 3 || es[2].Newer() != nil {
		t.Errorf("%+v", l)
	}
	l.remove(es[2])
	if l != (openList{}) {
		t.Errorf("%+v", l)
	}
}

func TestLikeTimeout(t *testing.T) {
	for _, c := range []struct {
		client string
		ms     int64
		want   bool
	}{
		{"Pulsar-Java-v4.2.4", 1600, true}, {"Pulsar-Java-v4.2.4", 1400, false}, {"Pulsar-Java-v4.2.4", 60_500, false}, {"Pulsar-Java-v4.2.4", 120_000, true},
		{"Pulsar-CPP-v4.2.0", 9000, false}, {"Pulsar-CPP-v4.2.0", 11_000, true}, {"Pulsar-Go-v0.19.0", 11_000, false}, {"", 2000, true},
	} {
		if got := likeTimeout(c.client, c.ms*1e6); got != c.want {
			t.Errorf("%s after %d ms: %v", c.client, c.ms, got)
		}
	}
}
