package dispatch

import "pulsar-dissect/session/index"

// entryStore keeps the entries of all subscriptions, and gives out the places of
// those that it forgets again.
type entryStore struct {
	blocks []*[blockSize]Entry
	used   int // places in blocks that were ever used
	spare  []uint32
	kept   []uint32 // places, from head on, oldest first
	head   int
	index  index.Index
}

const blockSize = 256

func newEntryStore() entryStore { return entryStore{index: index.New()} }

func (x *entryStore) at(place int) *Entry { return &x.blocks[place/blockSize][place%blockSize] }

func (x *entryStore) hash(s *Subscription, p Position) uint32 {
	return x.index.Hash(s.number<<40^p.Ledger, p.Entry)
}

// find gives the entry of a position, nil if there is none.
func (x *entryStore) find(s *Subscription, p Position) *Entry {
	hash := x.hash(s, p)
	for place, at := x.index.Find(hash); place >= 0; place, at = x.index.Next(hash, at) {
		if e := x.at(place); e.Position == p && e.Sub == s {
			return e
		}
	}
	return nil
}

// add makes the entry of a position that has none.
func (x *entryStore) add(s *Subscription, p Position) *Entry {
	place := x.place()
	e := x.at(int(place))
	*e = Entry{Position: p, Sub: s, place: place}
	x.index.Add(x.hash(s, p), int(place))
	x.kept = append(x.kept, place)
	return e
}

// place is room for an entry.
func (x *entryStore) place() uint32 {
	if n := len(x.spare); n > 0 {
		place := x.spare[n-1]
		x.spare = x.spare[:n-1]
		return place
	}
	if x.used == len(x.blocks)*blockSize {
		x.blocks = append(x.blocks, new([blockSize]Entry))
	}
	x.used++
	return uint32(x.used - 1)
}

func (x *entryStore) len() int { return len(x.kept) - x.head }

// oldest takes off the entry that was made first. Its place is used again.
func (x *entryStore) oldest() *Entry {
	place := x.kept[x.head]
	if x.head++; 2*x.head > len(x.kept) {
		x.kept = append(x.kept[:0], x.kept[x.head:]...)
		x.head = 0
	}
	x.spare = append(x.spare, place)
	return x.at(int(place))
}

// remember makes the entry of a position. Where there are too many, the one that
// was made first is forgotten.
func (t *Tracker) remember(s *Subscription, p Position) *Entry {
	if t.entries.len() >= t.limits.Entries {
		t.forgetOldest()
	}
	e := t.entries.add(s, p)
	s.enlist(e)
	return e
}

func (t *Tracker) forgetOldest() {
	e := t.entries.oldest()
	if !e.forgotten {
		t.counters.Entries++
		e.Sub.Forgotten++
		e.Sub.first = e.next
		t.forget(e)
	}
	*e = Entry{}
}

// forget takes an entry out of all that leads to it.
func (t *Tracker) forget(e *Entry) {
	e.forgotten = true
	e.Sub.release(e)
	t.entries.index.Remove(t.entries.hash(e.Sub, e.Position), int(e.place))
}
