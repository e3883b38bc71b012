package session

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/proto/pb"
)

// Phase is how far the life of a producer or consumer has come. When a frame
// is given out, it is the phase before that frame.
type Phase uint8

// The phases.
const (
	Unseen    Phase = iota // its PRODUCER or SUBSCRIBE was not captured
	Asked                  // the broker has not answered yet
	Opened                 // the broker has answered, and it is ready
	Ended                  // the client closed it, or the broker refused it
	Dismissed              // the broker closed it unasked
)

// phase is where the phase of what the request is about is kept; nil if it is
// about neither a producer nor a consumer.
func (r *request) phase() *Phase {
	switch {
	case r.producer != nil:
		return &r.producer.Phase
	case r.consumer != nil:
		return &r.consumer.Phase
	}
	return nil
}

// asks are the phases that requests lead to at once, agreed those that they
// lead to once the broker agrees.
var (
	asks = map[int32]Phase{
		int32(pb.BaseCommand_PRODUCER): Asked, int32(pb.BaseCommand_SUBSCRIBE): Asked,
		int32(pb.BaseCommand_CLOSE_PRODUCER): Ended, int32(pb.BaseCommand_CLOSE_CONSUMER): Ended,
	}
	agreed = map[int32]Phase{
		int32(pb.BaseCommand_PRODUCER): Opened, int32(pb.BaseCommand_SUBSCRIBE): Opened,
		int32(pb.BaseCommand_UNSUBSCRIBE): Ended,
	}
)

// asked takes the phase that a request leads to at once.
func (r *request) asked() {
	if p := r.phase(); p != nil {
		if next, ok := asks[r.Type]; ok {
			*p = next
		}
	}
}

// answered takes the phase that the answer to a request leads to.
func (r *request) answered(x Result) {
	p := r.phase()
	next, ok := agreed[r.Type]
	switch {
	case p == nil || !ok || x == Intermediate:
	case x == OK:
		*p = next
	case next == Opened:
		*p = Ended
	}
}

// dismiss takes a producer or consumer that the broker closes.
func (s *Session) dismiss(f *decode.Frame, a *answer) {
	if !a.closing || f.Direction != decode.ServerToClient {
		return
	}
	if p := (&request{producer: s.event.Producer, consumer: s.event.Consumer}).phase(); p != nil {
		*p = Dismissed
	}
}

// OpenRequest gives the oldest request with an id that has not been answered.
// When a frame is given out, it is not among them yet.
func (c *Conn) OpenRequest(id uint64) (r Ref, ok bool) {
	open, ok := c.requests.first(id)
	return open.Ref, ok
}
