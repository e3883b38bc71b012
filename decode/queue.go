package decode

import (
	"iter"
	"slices"
)

// eventQueue holds events in order (compare), each direction's in a list of its
// own: what comes late, such as the frames behind a hole that has been filled, is
// then put behind its own direction's, and does not move the other's, of which
// there may be many.
type eventQueue [2][]queued

func (q *eventQueue) len() int { return len(q[0]) + len(q[1]) }

// side is the direction of the first event. The queue must not be empty.
func (q *eventQueue) side() int {
	if len(q[0]) == 0 || len(q[1]) > 0 && compare(&q[1][0], &q[0][0]) < 0 {
		return 1
	}
	return 0
}

// first is the first event. The queue must not be empty.
func (q *eventQueue) first() *queued { return &q[q.side()][0] }

// pop takes the first event off.
func (q *eventQueue) pop() queued {
	side := q.side()
	e := q[side][0]
	q[side] = q[side][1:]
	return e
}

// insert puts an event in its place.
func (q *eventQueue) insert(e *queued) {
	list := &q[e.side]
	if n := len(*list); n == 0 || compare(&(*list)[n-1], e) < 0 {
		*list = append(*list, *e)
		return
	}
	at, _ := slices.BinarySearchFunc(*list, e, func(a queued, b *queued) int { return compare(&a, b) })
	*list = slices.Insert(*list, at, *e)
}

// all gives the events in order.
func (q *eventQueue) all() iter.Seq[*queued] {
	return func(yield func(*queued) bool) {
		rest := *q
		for rest.len() > 0 {
			side := rest.side()
			if !yield(&rest[side][0]) {
				return
			}
			rest[side] = rest[side][1:]
		}
	}
}

// keep drops the events that keep refuses; it is asked in order.
func (q *eventQueue) keep(keep func(*queued) bool) {
	var left eventQueue
	for e := range q.all() {
		if keep(e) {
			left[e.side] = append(left[e.side], *e)
		}
	}
	*q = left
}
