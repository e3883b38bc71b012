package index

import (
	"math/bits"
	"math/rand/v2"
)

// Index is a hash table of places with open addressing.
type Index struct {
	slots []slot // a power of two of them, at most half of them taken
	count int
	seed  uint64 // of the run, so that nobody can choose numbers that collide
}

// slot is taken where place is not 0.
type slot struct {
	hash  uint32
	place uint32 // plus one
}

const leastSlots = 64

// New makes an empty index.
func New() Index { return Index{slots: make([]slot, leastSlots), seed: rand.Uint64()} }

// near is how many numbers in a row, as a power of two, have hashes in a row: so
// many slots share a line of the processor's cache, and what comes in turn is
// looked for in turn.
const near = 3

// Hash is that of a number within a group.
func (x *Index) Hash(group, number uint64) uint32 {
	high, low := bits.Mul64(group*0x9e3779b97f4a7c15^x.seed, number>>near^bits.RotateLeft64(x.seed, 32))
	return uint32(high^low)<<near | uint32(number)&(1<<near-1)
}

// Find gives the first place with a hash, and where to go on by Next; below 0:
// there is none.
func (x *Index) Find(hash uint32) (place, at int) { return x.Next(hash, int(hash)) }

// Next gives the next place with the same hash.
func (x *Index) Next(hash uint32, from int) (place, at int) {
	mask := len(x.slots) - 1
	for i := from & mask; ; i = (i + 1) & mask {
		switch s := &x.slots[i]; {
		case s.place == 0:
			return -1, 0
		case s.hash == hash:
			return int(s.place) - 1, i + 1
		}
	}
}

// Add takes in a place.
func (x *Index) Add(hash uint32, place int) {
	if x.count++; 2*x.count > len(x.slots) {
		x.grow()
	}
	x.put(slot{hash, uint32(place) + 1})
}

func (x *Index) put(s slot) {
	mask := len(x.slots) - 1
	i := int(s.hash) & mask
	for x.slots[i].place != 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = s
}

func (x *Index) grow() {
	old := x.slots
	x.slots = make([]slot, 2*len(old))
	for _, s := range old {
		if s.place != 0 {
			x.put(s)
		}
	}
}

// Remove takes out a place, and moves those up that it had pushed on.
func (x *Index) Remove(hash uint32, place int) {
	mask := len(x.slots) - 1
	gap := int(hash) & mask
	for x.slots[gap].place != uint32(place)+1 {
		if x.slots[gap].place == 0 {
			return
		}
		gap = (gap + 1) & mask
	}
	x.count--
	for i := (gap + 1) & mask; x.slots[i].place != 0; i = (i + 1) & mask {
		if home := int(x.slots[i].hash); (i-home)&mask >= (i-gap)&mask {
			x.slots[gap], gap = x.slots[i], i
		}
	}
	x.slots[gap] = slot{}
}
