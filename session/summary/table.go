package summary

import "maps"

// table counts by key, in at most so many rows and bytes of names; what comes
// after that shares one row.
type table[K comparable, V any] struct {
	rows      map[K]*V
	others    V
	overflown uint64 // how often a key had no row
	most      int    // rows
	bytesLeft int    // of names
	last      K      // found before, and most often asked for again
	lastRow   *V
}

func newTable[K comparable, V any](rows, nameBytes int) table[K, V] {
	return table[K, V]{rows: map[K]*V{}, most: rows, bytesLeft: nameBytes}
}

// row finds the row of a key, or makes one. bytes is the size of the names in
// the key.
func (t *table[K, V]) row(k K, bytes int) *V {
	if t.lastRow != nil && t.last == k {
		return t.lastRow
	}
	r := t.rows[k]
	if r == nil {
		if len(t.rows) >= t.most || bytes > t.bytesLeft {
			t.overflown++
			return &t.others
		}
		t.bytesLeft -= bytes
		r = new(V)
		t.rows[k] = r
	}
	t.last, t.lastRow = k, r
	return r
}

// known finds the row of a key; nil if it has none.
func (t *table[K, V]) known(k K) *V { return t.rows[k] }

// each gives the rows in no order.
func (t *table[K, V]) each(take func(K, *V)) {
	for k, v := range maps.All(t.rows) {
		take(k, v)
	}
}
