package dispatch

import "slices"

// owed is an entry that a subscription waits for.
type owed struct {
	Position
	since int64  // ns since the Unix epoch: stored, or given back
	key   string // Key_Shared
	turn  uint64 // in which order it came to be waited for
	again bool   // was delivered before
	done  bool   // delivered, or passed over
}

// owedList has what a subscription waits for in the order in which it came.
// What is stored comes nearly always in the order of the topic, where halving
// finds it; for the rest there is a table.
type owedList struct {
	straight owedRun          // in the order of the topic
	others   owedRun          // out of order, or again
	place    map[Position]int // index in others.list
	fresh    int              // how many were never delivered
	turn     uint64
	inAll    *int // how many all lists have that share it
}

// owedRun is a queue from which may be taken in the middle.
type owedRun struct {
	list []owed
	head int // list[:head] are done
	open int
}

func (l *owedList) len() int { return l.straight.open + l.others.open }

func (l *owedList) add(x owed) {
	if l.straight.find(x.Position) >= 0 {
		return
	}
	if _, there := l.place[x.Position]; there {
		return
	}
	l.turn++
	*l.inAll++
	x.turn = l.turn
	if !x.again {
		l.fresh++
	}
	if !x.again && l.straight.endsBefore(x.Position) {
		l.straight.tidy()
		l.straight.push(x)
		return
	}
	l.addOther(x)
}

func (l *owedList) addOther(x owed) {
	if l.place == nil {
		l.place = map[Position]int{}
	}
	if l.others.tidy() {
		for i := range l.others.list {
			l.place[l.others.list[i].Position] = i
		}
	}
	l.place[x.Position] = l.others.push(x)
}

// front is what has waited longest; nil if there is nothing.
func (l *owedList) front() *owed {
	a, b := l.straight.front(), l.others.front()
	if a == nil || b != nil && b.turn < a.turn {
		return b
	}
	return a
}

// take takes out a position.
func (l *owedList) take(p Position) (was bool) {
	if i := l.straight.find(p); i >= 0 {
		l.remove(&l.straight, i)
		return true
	}
	i, was := l.place[p]
	if was {
		delete(l.place, p)
		l.remove(&l.others, i)
	}
	return was
}

func (l *owedList) remove(from *owedRun, i int) {
	x := &from.list[i]
	if !x.again {
		l.fresh--
	}
	x.done, x.key = true, ""
	from.open--
	*l.inAll--
}

// passOver takes out what was stored before a position and not delivered before
// it: a broker reads in order, so it will not come. Of Key_Shared only what has
// the same key: others may be held back.
func (l *owedList) passOver(p Position, key string, keyed bool) {
	for x := l.front(); x != nil && !x.again && x.Compare(p) < 0 && (!keyed || x.key == key); x = l.front() {
		l.take(x.Position)
	}
}

func (l *owedList) clear() {
	*l.inAll -= l.len()
	*l = owedList{inAll: l.inAll}
}

// push gives the index of what it takes in.
func (r *owedRun) push(x owed) int {
	if r.open == 0 {
		r.list, r.head = r.list[:0], 0
	}
	r.list = append(r.list, x)
	r.open++
	return len(r.list) - 1
}

// tidy drops what is done once it is most of the list, and says whether it did.
func (r *owedRun) tidy() bool {
	if len(r.list) < 1024 || len(r.list) < 2*r.open {
		return false
	}
	r.list = slices.DeleteFunc(r.list, func(x owed) bool { return x.done })
	r.head = 0
	return true
}

// clip gives back what room is not needed.
func (r *owedRun) clip() {
	r.list = slices.Clone(slices.DeleteFunc(r.list, func(x owed) bool { return x.done }))
	r.head = 0
}

func (r *owedRun) front() *owed {
	for r.head < len(r.list) && r.list[r.head].done {
		r.head++
	}
	if r.head == len(r.list) {
		r.list, r.head = r.list[:0], 0
		return nil
	}
	return &r.list[r.head]
}

// endsBefore says whether all positions of a run in order are below p.
func (r *owedRun) endsBefore(p Position) bool {
	return r.open == 0 || r.list[len(r.list)-1].Compare(p) < 0
}

// find gives the index of a position in a run in order, -1 if it is not there.
func (r *owedRun) find(p Position) int {
	if r.open == 0 || r.list[len(r.list)-1].Compare(p) < 0 {
		return -1
	}
	if x := &r.list[r.head]; x.Position == p && !x.done {
		return r.head
	}
	i, there := slices.BinarySearchFunc(r.list[r.head:], p, func(x owed, p Position) int { return x.Compare(p) })
	if i += r.head; !there || r.list[i].done {
		return -1
	}
	return i
}
