package session

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/pb"
)

// delivery is a MESSAGE to a consumer, open until all its messages are
// acknowledged. There may be a hundred thousand: 64 bytes without a pointer, which
// the garbage collector need not look at.
type delivery struct {
	ID          MessageID
	packet      uint64 // of the MESSAGE
	time        int64  //
	offset      int64  //
	count       int32  // messages of the entry
	left        int32  // not yet acknowledged
	direction   decode.Direction
	timeUnknown bool
	partly      bool // some are acknowledged: deliveries.masks says which
	done        bool // acknowledged one by one: an ACK of it is a repeat
}

// newDelivery opens count messages.
func newDelivery(id MessageID, f *decode.Frame, count int) delivery {
	return delivery{ID: id, packet: f.Last.Packet, time: f.Last.Time, offset: f.Offset, direction: f.Direction,
		timeUnknown: f.Last.TimeUnknown, count: int32(count), left: int32(count)}
}

// ref names the MESSAGE.
func (x *delivery) ref() Ref {
	return Ref{int32(pb.BaseCommand_MESSAGE), x.direction, x.timeUnknown, x.packet, x.time, x.offset}
}

// deliveries holds those of one consumer in the order of their ids, the open
// ones and, as far as the limit allows, those acknowledged one by one. They
// stand in blocks, so that none costs more where it is put between others.
type deliveries struct {
	blocks []block // none is empty
	open   int
	from   int                    // blocks before it hold no open delivery
	masks  map[entryKey][]uint64  // of those acknowledged in part; bit set: not yet acknowledged
	spare  []delivery             // of a block that has become empty
	found  struct{ block, i int } // what was found last: acknowledgements come in about the same order
}

// block is a run of deliveries. Those at its front are the first to be forgotten.
type block struct {
	all  []delivery
	gone int // all[:gone] are forgotten
}

const blockSize = 64

func (b *block) live() []delivery { return b.all[b.gone:] }

func (b *block) last() *MessageID { return &b.all[len(b.all)-1].ID }

// insert puts a delivery before the i-th. There must be room.
func (b *block) insert(i int, x delivery) {
	if len(b.all) == blockSize {
		b.all, b.gone = b.all[:copy(b.all, b.live())], 0
	}
	b.all = slices.Insert(b.all, b.gone+i, x)
}

func (b *block) remove(i int) {
	if i == 0 {
		b.gone++
		return
	}
	b.all = slices.Delete(b.all, b.gone+i, b.gone+i+1)
}

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
	if b := &d.blocks[last]; compareIDs(b.last(), id) < 0 {
		return last, len(b.live()), false
	}
	if compareIDs(&d.blocks[0].live()[0].ID, id) == 0 {
		return 0, 0, true
	}
	if d.isNext(id) {
		return d.found.block, d.found.i, true
	}
	block = sort.Search(last, func(m int) bool { return compareIDs(d.blocks[m].last(), id) >= 0 })
	live := d.blocks[block].live()
	i = sort.Search(len(live), func(m int) bool { return compareIDs(&live[m].ID, id) >= 0 })
	ok = i < len(live) && compareIDs(&live[i].ID, id) == 0
	if ok {
		d.found.block, d.found.i = block, i
	}
	return block, i, ok
}

// isNext says whether the id is that behind the one found last, and moves on to
// it. What was found last may have moved since, so that this is only a try.
func (d *deliveries) isNext(id *MessageID) bool {
	at := d.found
	if at.i++; at.block < len(d.blocks) && at.i >= len(d.blocks[at.block].live()) {
		at.block, at.i = at.block+1, 0
	}
	if at.block >= len(d.blocks) || compareIDs(&d.blocks[at.block].live()[at.i].ID, id) != 0 {
		return false
	}
	d.found = at
	return true
}

// find gives the delivery of an id, nil if there is none. It is valid until the
// next change.
func (d *deliveries) find(id *MessageID) *delivery {
	block, i, ok := d.place(id)
	if !ok {
		return nil
	}
	return &d.blocks[block].live()[i]
}

// add opens a delivery, of which the ack_set of the MESSAGE takes some as
// acknowledged; without words, none. It gives the one of the same id that was
// still open.
func (d *deliveries) add(x delivery, set ackSet) (earlier delivery, was bool) {
	block, i, ok := d.place(&x.ID)
	d.open++
	d.from = min(d.from, block)
	var at *delivery
	if ok {
		at = &d.blocks[block].live()[i]
		if !at.done {
			earlier, was = *at, true
			d.open--
		}
		d.unmask(at)
		*at = x
	} else {
		at = d.insert(block, i, x)
	}
	if len(set) > 0 {
		d.restrict(at, set)
	}
	return earlier, was
}

// insert gives the delivery in its place.
func (d *deliveries) insert(at, i int, x delivery) *delivery {
	switch {
	case len(d.blocks) == 0:
		d.blocks = append(d.blocks, block{}) // grows as it is filled: most consumers are idle
	case len(d.blocks[at].live()) < blockSize:
	case at == len(d.blocks)-1 && i == blockSize:
		at, i = at+1, 0
		d.blocks = append(d.blocks, d.newBlock())
	default:
		const half = blockSize / 2
		upper := d.newBlock()
		upper.all = append(upper.all, d.blocks[at].all[half:]...)
		d.blocks[at].all = d.blocks[at].all[:half]
		d.blocks = slices.Insert(d.blocks, at+1, upper)
		if i > half {
			at, i = at+1, i-half
		}
	}
	d.blocks[at].insert(i, x)
	return &d.blocks[at].live()[i]
}

func (d *deliveries) newBlock() block {
	b := block{all: d.spare}
	if d.spare = nil; b.all == nil {
		b.all = make([]delivery, 0, blockSize)
	}
	return b
}

// close marks a delivery as acknowledged, to be kept as done or forgotten.
func (d *deliveries) close(x *delivery, keep bool) {
	d.open--
	d.unmask(x)
	x.left = 0
	if x.done = keep; !keep {
		d.forget(&x.ID)
	}
}

func (d *deliveries) forget(id *MessageID) {
	at, i, ok := d.place(id)
	if !ok {
		return
	}
	b := &d.blocks[at]
	if b.remove(i); len(b.live()) > 0 {
		return
	}
	if cap(b.all) == blockSize {
		d.spare = b.all[:0]
	}
	d.blocks = slices.Delete(d.blocks, at, at+1)
	if d.from > at {
		d.from--
	}
}

// each gives the open deliveries in the order of their ids.
func (d *deliveries) each(take func(x *delivery) bool) {
	for at := d.from; at < len(d.blocks); at++ {
		found := false
		live := d.blocks[at].live()
		for i := range live {
			if x := &live[i]; !x.done {
				if found = true; !take(x) {
					return
				}
			}
		}
		if !found && at == d.from {
			d.from++
		}
	}
}

// restrict takes as acknowledged what the set does not have, and says how many
// messages that are.
func (d *deliveries) restrict(x *delivery, set ackSet) int {
	key := entryKey{x.ID.Ledger, x.ID.Entry}
	mask := d.masks[key]
	if !x.partly {
		mask = fullMask(int(x.count), min(len(set), (int(x.count)+63)/64))
	}
	for i := range mask {
		if i < len(set) {
			mask[i] &= set[i]
		} else {
			mask[i] = 0
		}
	}
	if n := len(set); n < len(mask) {
		mask = mask[:n]
	}
	if d.masks == nil {
		d.masks = map[entryKey][]uint64{}
	}
	d.masks[key], x.partly = mask, true
	before := x.left
	x.left = int32(ackSet(mask).count(int(x.count)))
	return int(before - x.left)
}

// unmask forgets which messages of a delivery are acknowledged.
func (d *deliveries) unmask(x *delivery) {
	if x.partly {
		delete(d.masks, entryKey{x.ID.Ledger, x.ID.Entry})
		x.partly = false
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
