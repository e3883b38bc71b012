package capture

// ordered is what a heap holds.
type ordered[T any] interface{ before(T) bool }

// sink moves the element at i down to where the heap is in order again: no
// element comes before its parent, which is at (i-1)/2. Unlike container/heap it
// makes no interface value per packet.
func sink[T ordered[T]](heap []T, i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(heap); child++ {
			if heap[child].before(heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}

// lift moves the element at i up to where the heap is in order again.
func lift[T ordered[T]](heap []T, i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !heap[i].before(heap[parent]) {
			return
		}
		heap[i], heap[parent] = heap[parent], heap[i]
		i = parent
	}
}
