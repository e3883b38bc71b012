package diagnose

import (
	"math/rand/v2"
	"testing"
)

// TestPassages holds them against the latest of a list, with checksums that
// collide often.
func TestPassages(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	p := newPassages()
	kept := []uint32{}
	there := map[uint32]int{}
	for n := range 5 * passagesKept {
		sum := r.Uint32N(4*passagesKept) << 15
		if got := p.find(sum); (got != nil) != (there[sum] > 0) || got != nil && got.id != there[sum] {
			t.Fatalf("%d: %v, expected %d", n, got, there[sum])
		}
		if there[sum] > 0 {
			continue
		}
		p.add(passage{sum: sum, id: n + 1})
		if kept, there[sum] = append(kept, sum), n+1; len(kept) > passagesKept {
			delete(there, kept[0])
			kept = kept[1:]
		}
	}
}
