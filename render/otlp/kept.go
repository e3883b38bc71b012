package otlp

// kept remembers by key what was put there last: so many, older ones are
// forgotten.
type kept[K comparable, V any] struct {
	rows  map[K]V
	order []K // a ring, once it is full
	next  int
	most  int
}

func newKept[K comparable, V any](most int) kept[K, V] {
	return kept[K, V]{rows: map[K]V{}, most: most}
}

func (k *kept[K, V]) put(key K, v V) {
	if _, there := k.rows[key]; !there {
		k.line(key)
	}
	k.rows[key] = v
}

// line puts a key behind all others, in the place of the first where there are too
// many.
func (k *kept[K, V]) line(key K) {
	if len(k.order) < k.most {
		k.order = append(k.order, key)
		return
	}
	delete(k.rows, k.order[k.next])
	k.order[k.next] = key
	k.next = (k.next + 1) % len(k.order)
}

func (k *kept[K, V]) find(key K) (v V, ok bool) {
	v, ok = k.rows[key]
	return v, ok
}

// take finds, and forgets.
func (k *kept[K, V]) take(key K) (v V, ok bool) {
	v, ok = k.rows[key]
	delete(k.rows, key)
	return v, ok
}
