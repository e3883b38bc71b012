package diagnose

import (
	"testing"
)

// TestPermitPerEntry: batches of 3, each acknowledged, and a permit granted for
// each of them.
func TestPermitPerEntry(t *testing.T) {
	for _, c := range []struct {
		batches, grants uint64
		want            []string
	}{
		{20, 5, []string{"warning c | 20 entries with 60 messages and granted 20 permits after the first 100"}},
		{15, 5, nil},
		{20, 15, nil},
	} {
		s := newScene(t)
		k := consuming(s, shared, 100)
		for n := range c.batches {
			k.deliverBatch(2, n, 3)
			k.ack(2, n)
			if n%5 == 4 {
				k.flow(2, uint32(c.grants))
			}
		}
		s.finds(permitPerEntry, c.want...)
		s.finds(permitLeak)
	}
}
