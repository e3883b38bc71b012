package diagnose

import (
	"testing"
)

func TestOverDelivery(t *testing.T) {
	for _, c := range []struct {
		entries uint64
		want    []string
	}{
		{1 + 101, []string{"warning c | 101 entries came after the last permit"}},
		{1 + 100, nil},
	} {
		s := newScene(t)
		k := consuming(s, shared, 1)
		for n := range c.entries {
			k.deliver(2, n, 0)
		}
		s.finds(overDelivery, c.want...)
	}
}
