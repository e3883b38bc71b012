package session

// recent holds the values put last, up to a limit: the oldest is let go first.
type recent[K comparable, V any] struct {
	limit  int
	values map[K]kept[V]
	order  []keyTurn[K] // from head on: oldest first
	head   int
	turn   uint64
}

type kept[V any] struct {
	value V
	turn  uint64
}

// keyTurn is a key as it was put at some time: it counts unless the key was
// put again, or taken, since.
type keyTurn[K comparable] struct {
	key  K
	turn uint64
}

// put sets the value of a key, and says whether another was let go for it.
func (r *recent[K, V]) put(k K, v V) (letGo bool) {
	if r.values == nil {
		r.values = map[K]kept[V]{}
	}
	r.turn++
	r.values[k] = kept[V]{v, r.turn}
	r.order = append(r.order, keyTurn[K]{k, r.turn})
	for len(r.order)-r.head > r.limit {
		old := r.order[r.head]
		r.head++
		if r.values[old.key].turn == old.turn {
			delete(r.values, old.key)
			letGo = true
		}
	}
	if r.head > r.limit {
		r.order = append(r.order[:0], r.order[r.head:]...)
		r.head = 0
	}
	return letGo
}

func (r *recent[K, V]) get(k K) (V, bool) {
	v, ok := r.values[k]
	return v.value, ok
}

// take gives the value of a key and forgets it.
func (r *recent[K, V]) take(k K) (V, bool) {
	v, ok := r.values[k]
	delete(r.values, k)
	return v.value, ok
}
