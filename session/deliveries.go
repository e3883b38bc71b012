package session

import (
	"math/bits"
	"slices"
)

// delivery is a MESSAGE to a consumer, open until all its messages are
// acknowledged.
type delivery struct {
	ID MessageID
	Ref
	count int32    // messages of the entry
	left  int32    // not yet acknowledged
	mask  []uint64 // bit set: not yet acknowledged; nil while none or all are
	done  bool     // acknowledged one by one: an ACK of it is a repeat
	gone  bool     // to be forgotten
}

// deliveries holds those of one consumer in the order of their ids, the open
// ones and, as far as the limit allows, those acknowledged one by one.
type deliveries struct {
	list []delivery
	open int
	dead int // entries of list that are gone
}

func compareIDs(a delivery, b MessageID) int {
	switch {
	case a.ID.Ledger != b.Ledger:
		return sign(a.ID.Ledger < b.Ledger)
	case a.ID.Entry != b.Entry:
		return sign(a.ID.Entry < b.Entry)
	}
	return 0
}

func sign(less bool) int {
	if less {
		return -1
	}
	return 1
}

// find gives the place of an id, and whether it is there.
func (d *deliveries) find(id MessageID) (int, bool) {
	if n := len(d.list); n == 0 || compareIDs(d.list[n-1], id) < 0 {
		return n, false
	}
	i, ok := slices.BinarySearchFunc(d.list, id, compareIDs)
	return i, ok && !d.list[i].gone
}

// add opens a delivery. It gives the one of the same id that was still open.
func (d *deliveries) add(x delivery) (earlier delivery, was bool) {
	i, ok := d.find(x.ID)
	if ok && !d.list[i].done {
		earlier, was = d.list[i], true
		d.open--
	}
	d.open++
	if i < len(d.list) && compareIDs(d.list[i], x.ID) == 0 {
		if d.list[i].gone {
			d.dead--
		}
		d.list[i] = x
		return earlier, was
	}
	d.list = slices.Insert(d.list, i, x)
	return earlier, was
}

// close marks the delivery at i as acknowledged, to be kept as done or
// forgotten.
func (d *deliveries) close(i int, keep bool) {
	d.open--
	d.list[i].left, d.list[i].mask = 0, nil
	if keep {
		d.list[i].done = true
		return
	}
	d.forget(i)
}

func (d *deliveries) forget(i int) {
	d.list[i].gone = true
	d.dead++
	if d.dead > 32 && d.dead > len(d.list)/2 {
		d.list = slices.DeleteFunc(d.list, func(x delivery) bool { return x.gone })
		d.dead = 0
	}
}

// each gives the open deliveries in the order of their ids.
func (d *deliveries) each(take func(i int, x *delivery) bool) {
	for i := range d.list {
		if x := &d.list[i]; !x.gone && !x.done && !take(i, x) {
			return
		}
	}
}

// ackSet reads the words of an ack_set: bit set means not yet acknowledged
// (protocol, section Payload).
type ackSet []uint64

func (a ackSet) has(i int) bool { return i/64 < len(a) && a[i/64]>>(i%64)&1 != 0 }

// count is how many of the first n bits are set.
func (a ackSet) count(n int) (set int) {
	for i, w := range a {
		if rest := n - 64*i; rest < 64 {
			if rest > 0 {
				set += bits.OnesCount64(w & (1<<rest - 1))
			}
			return set
		}
		set += bits.OnesCount64(w)
	}
	return set
}

// newDelivery opens count messages less those that the ack_set of the MESSAGE
// takes as acknowledged; without words, all.
func newDelivery(id MessageID, at Ref, count int, set ackSet) delivery {
	x := delivery{ID: id, Ref: at, count: int32(count), left: int32(count)}
	if len(set) > 0 {
		x.restrict(set)
	}
	return x
}

// restrict takes as acknowledged what the set does not have, and says how many
// messages that are.
func (x *delivery) restrict(set ackSet) int {
	if x.mask == nil {
		x.mask = fullMask(int(x.count), min(len(set), (int(x.count)+63)/64))
	}
	for i := range x.mask {
		if i < len(set) {
			x.mask[i] &= set[i]
		} else {
			x.mask[i] = 0
		}
	}
	if n := len(set); n < len(x.mask) {
		x.mask = x.mask[:n]
	}
	before := x.left
	x.left = int32(ackSet(x.mask).count(int(x.count)))
	return int(before - x.left)
}

// fullMask has the first count bits set, in as many words as the set has that
// will be applied to it: the rest would be cleared anyway.
func fullMask(count, words int) []uint64 {
	m := make([]uint64, words)
	for i := range m {
		m[i] = ^uint64(0)
		if rest := count - 64*i; rest < 64 {
			m[i] = 1<<max(rest, 0) - 1
		}
	}
	return m
}
