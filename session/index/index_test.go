package index

import (
	"math/rand/v2"
	"testing"
)

// TestIndex holds an index against a map while it grows and shrinks, with hashes
// that are met again and others that push each other on.
func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x, want := New(), map[int]uint32{} // hash by place
	for step := range 100_000 {
		place := r.IntN(3000)
		hash, there := want[place]
		if found := holds(&x, hash, place); found != there {
			t.Fatalf("step %d: %v, expected %v", step, found, there)
		}
		switch {
		case !there:
			want[place] = r.Uint32N(2000) << r.IntN(16)
			x.Add(want[place], place)
		case r.IntN(3) > 0:
			x.Remove(hash, place)
			delete(want, place)
		}
	}
	if x.count != len(want) || 2*x.count > len(x.slots) {
		t.Errorf("%d places in %d slots, expected %d", x.count, len(x.slots), len(want))
	}
	x.Remove(1<<31, 1<<20) // is not there
	if x.count != len(want) {
		t.Errorf("%d places, expected %d", x.count, len(want))
	}
}

func holds(x *Index, hash uint32, place int) bool {
	for p, at := x.Find(hash); p >= 0; p, at = x.Next(hash, at) {
		if p == place {
			return true
		}
	}
	return false
}

// TestHash: numbers in a row stand in a row, and no group falls onto another.
func TestHash(t *testing.T) {
	x := New()
	seen := map[uint32]bool{}
	for group := range uint64(30) {
		for n := range uint64(1000) {
			h := x.Hash(group, n)
			if n%(1<<near) > 0 && h != x.Hash(group, n-1)+1 {
				t.Fatalf("group %d, number %d: %#x behind %#x", group, n, h, x.Hash(group, n-1))
			}
			seen[h] = true
		}
	}
	if len(seen) < 29_900 {
		t.Errorf("%d hashes of 30000", len(seen))
	}
}
