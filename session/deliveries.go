package session

import (
	"cmp"
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
}

// deliveries holds those of one consumer in the order of their ids, the open
// ones and, as far as the limit allows, those acknowledged one by one. They
// stand in blocks, so that none costs more where it is put between others.
type deliveries struct {
	blocks [][]delivery // none is empty
	open   int
	from   int // blocks before it hold no open delivery
}

const blockSize = 64

func compareIDs(a, b *MessageID) int {
	if a.Ledger != b.Ledger {
		return cmp.Compare(a.Ledger, b.Ledger)
	}
	return cmp.Compare(a.Entry, b.Entry)
}

// place finds where an id stands, or would stand.
func (d *deliveries) place(id *MessageID) (block, i int, ok bool) {
	last := len(d.blocks) - 1
	if last < 0 {
		return 0, 0, false
	}
	if b := d.blocks[last]; compareIDs(&b[len(b)-1].ID, id) < 0 {
		return last, len(b), false
	}
	block, _ = slices.BinarySearchFunc(d.blocks, id, func(b []delivery, id *MessageID) int { return compareIDs(&b[len(b)-1].ID, id) })
	i, ok = slices.BinarySearchFunc(d.blocks[block], id, func(x delivery, id *MessageID) int { return compareIDs(&x.ID, id) })
	return block, i, ok
}

// find gives the delivery of an id, nil if there is none. It is valid until the
// next change.
func (d *deliveries) find(id *MessageID) *delivery {
	block, i, ok := d.place(id)
	if !ok {
		return nil
	}
	return &d.blocks[block][i]
}

// add opens a delivery. It gives the one of the same id that was still open.
func (d *deliveries) add(x delivery) (earlier delivery, was bool) {
	block, i, ok := d.place(&x.ID)
	d.open++
	d.from = min(d.from, block)
	if ok {
		at := &d.blocks[block][i]
		if !at.done {
			earlier, was = *at, true
			d.open--
		}
		*at = x
		return earlier, was
	}
	d.insert(block, i, x)
	return earlier, was
}

func (d *deliveries) insert(block, i int, x delivery) {
	switch {
	case len(d.blocks) == 0 || len(d.blocks[block]) == blockSize && block == len(d.blocks)-1 && i == blockSize:
		d.blocks = append(d.blocks, append(make([]delivery, 0, blockSize), x))
		return
	case len(d.blocks[block]) == blockSize:
		const half = blockSize / 2
		upper := append(make([]delivery, 0, blockSize), d.blocks[block][half:]...)
		d.blocks[block] = slices.Delete(d.blocks[block], half, blockSize)
		d.blocks = slices.Insert(d.blocks, block+1, upper)
		if i > half {
			block, i = block+1, i-half
		}
	}
	d.blocks[block] = slices.Insert(d.blocks[block], i, x)
}

// close marks a delivery as acknowledged, to be kept as done or forgotten.
func (d *deliveries) close(x *delivery, keep bool) {
	d.open--
	x.left, x.mask = 0, nil
	if x.done = keep; !keep {
		d.forget(&x.ID)
	}
}

func (d *deliveries) forget(id *MessageID) {
	block, i, ok := d.place(id)
	if !ok {
		return
	}
	if d.blocks[block] = slices.Delete(d.blocks[block], i, i+1); len(d.blocks[block]) == 0 {
		d.blocks = slices.Delete(d.blocks, block, block+1)
		if d.from > block {
			d.from--
		}
	}
}

// each gives the open deliveries in the order of their ids.
func (d *deliveries) each(take func(x *delivery) bool) {
	for block := d.from; block < len(d.blocks); block++ {
		found := false
		for i := range d.blocks[block] {
			if x := &d.blocks[block][i]; !x.done {
				if found = true; !take(x) {
					return
				}
			}
		}
		if !found && block == d.from {
			d.from++
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
