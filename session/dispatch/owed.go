package dispatch

// owed is an entry that a subscription waits for.
type owed struct {
	Position
	since int64  // ns since the Unix epoch: stored, or given back
	key   string // Key_Shared
	again bool   // was delivered before
	done  bool   // delivered, or passed over
}

// owedList has what a subscription waits for in the order in which it came.
type owedList struct {
	list  []owed
	head  int              // list[:head] are done
	place map[Position]int // index in list
	fresh int              // how many were never delivered
}

func (l *owedList) len() int { return len(l.place) }

func (l *owedList) add(x owed) {
	if _, there := l.place[x.Position]; there {
		return
	}
	if l.place == nil {
		l.place = map[Position]int{}
	}
	l.tidy()
	l.place[x.Position] = len(l.list)
	l.list = append(l.list, x)
	if !x.again {
		l.fresh++
	}
}

// tidy drops what is done once it is most of the list.
func (l *owedList) tidy() {
	if len(l.list) < 1024 || len(l.list) < 2*len(l.place) {
		return
	}
	kept := l.list[:0]
	for _, x := range l.list {
		if !x.done {
			kept = append(kept, x)
			l.place[x.Position] = len(kept) - 1
		}
	}
	clear(l.list[len(kept):])
	l.list, l.head = kept, 0
}

// front is what has waited longest; nil if there is nothing.
func (l *owedList) front() *owed {
	for l.head < len(l.list) && l.list[l.head].done {
		l.head++
	}
	if l.head == len(l.list) {
		l.list, l.head = l.list[:0], 0
		return nil
	}
	return &l.list[l.head]
}

// take takes out a position.
func (l *owedList) take(p Position) (x owed, was bool) {
	i, was := l.place[p]
	if !was {
		return x, false
	}
	delete(l.place, p)
	x = l.list[i]
	if !x.again {
		l.fresh--
	}
	l.list[i].done, l.list[i].key = true, ""
	return x, true
}

// passOver takes out what was stored before a position and not delivered before
// it: a broker reads in order, so it will not come. Of Key_Shared only what has
// the same key: others may be held back.
func (l *owedList) passOver(p Position, key string, keyed bool) {
	for x := l.front(); x != nil && !x.again && x.Compare(p) < 0 && (!keyed || x.key == key); x = l.front() {
		l.take(x.Position)
	}
}

func (l *owedList) clear() { *l = owedList{} }
