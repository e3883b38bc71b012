package diagnose

import (
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

// perProducer keeps state of a rule at each producer of a connection, where it
// is found without a search and ends with the producer.
type perProducer[T any] struct {
	tracker *dispatch.Tracker
	slot    int
}

func newPerProducer[T any](r *Reporter) perProducer[T] {
	r.engine.slots++
	return perProducer[T]{r.Dispatch(), r.engine.slots - 1}
}

// of gives the state of the producer of an event, which has one.
func (p perProducer[T]) of(e *session.Event) *T {
	return noteOf[T](&p.tracker.ProducerOf(e).Notes, p.slot)
}

// at gives the state of a producer, nil where it has none.
func (p perProducer[T]) at(x *session.Producer) *T {
	if d, ok := x.State.(*dispatch.Producer); ok && p.slot < len(d.Notes) {
		v, _ := d.Notes[p.slot].(*T)
		return v
	}
	return nil
}

// perConsumer does the same for consumers.
type perConsumer[T any] struct{ slot int }

func newPerConsumer[T any](r *Reporter) perConsumer[T] {
	r.engine.slots++
	return perConsumer[T]{r.engine.slots - 1}
}

func (p perConsumer[T]) of(c *dispatch.Consumer) *T { return noteOf[T](&c.Notes, p.slot) }

// at gives the state of a consumer, nil where it has none.
func (p perConsumer[T]) at(c *dispatch.Consumer) *T {
	if p.slot < len(c.Notes) {
		v, _ := c.Notes[p.slot].(*T)
		return v
	}
	return nil
}

// perSubscription does the same for subscriptions.
type perSubscription[T any] struct{ slot int }

func newPerSubscription[T any](r *Reporter) perSubscription[T] {
	r.engine.slots++
	return perSubscription[T]{r.engine.slots - 1}
}

func (p perSubscription[T]) of(s *dispatch.Subscription) *T { return noteOf[T](&s.Notes, p.slot) }

// noteOf gives what is in a slot, new where there is nothing.
func noteOf[T any](notes *[]any, slot int) *T {
	if slot < len(*notes) {
		if v, ok := (*notes)[slot].(*T); ok {
			return v
		}
	}
	for len(*notes) <= slot {
		*notes = append(*notes, nil)
	}
	v := new(T)
	(*notes)[slot] = v
	return v
}
