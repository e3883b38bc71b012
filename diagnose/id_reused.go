package diagnose

import (
	"fmt"

	"pulsar-dissect/proto"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var idReused = &Rule{
	Name:     "id-reused",
	Severity: Warning,
	Title:    "Id is used again while it is in use",
	Meaning: "On a connection each request has a request id of its own until it is answered, and each producer and consumer an id of its own until " +
		"it is closed. Used twice, an answer goes to the wrong request, and the broker refuses the second producer or gives it the first one's.",
	Advice: "Let the client count ids up per connection, and close a producer or consumer before its id is opened again.",
	Blind:  "What was open before the capture began.",
	Lint:   true,
	Frames: requestFrames,
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			if e.Kind == session.FrameSeen && complete(e.Conn) {
				requestReused(r, e)
				handleReused(r, e)
			}
		}
	},
}

// requestFrames are the commands that ask for an answer.
var requestFrames = func() (out []pb.BaseCommand_Type) {
	for i := range proto.Commands {
		if c := &proto.Commands[i]; c.RequestID != 0 && len(c.Responses) > 0 {
			out = append(out, pb.BaseCommand_Type(c.Number))
		}
	}
	return out
}()

func requestReused(r *Reporter, e *session.Event) {
	id, ok := requestIDOf(e)
	if !ok {
		return
	}
	if open, ok := e.Conn.OpenRequest(id); ok {
		r.Report(Finding{Severity: Warning, Title: "Request id is used again before the answer", Subject: about(e),
			Evidence: []Evidence{frame(e.Conn, &open), here(e)},
			Detail: fmt.Sprintf("The %s sent %s with request id %d, under which its %s is not answered yet.", offender(e.Conn, e.Direction),
				e.Frame.TypeName(), id, session.TypeName(&open))})
	}
}

// handleReused looks for a producer or consumer that is opened while it is
// open.
func handleReused(r *Reporter, e *session.Event) {
	kind, id, phase := "", uint64(0), session.Unseen
	switch {
	case e.Frame.Is(int32(pb.BaseCommand_PRODUCER)) && e.Producer != nil:
		kind, id, phase = "Producer", e.Producer.ID, e.Producer.Phase
	case e.Frame.Is(int32(pb.BaseCommand_SUBSCRIBE)) && e.Consumer != nil:
		kind, id, phase = "Consumer", e.Consumer.ID, e.Consumer.Phase
	}
	if phase != session.Asked && phase != session.Opened {
		return
	}
	r.Report(Finding{Severity: Warning, Title: kind + " id is used again while it is open", Subject: about(e), Evidence: []Evidence{here(e)},
		Detail: fmt.Sprintf("The %s sent %s with id %d, which it has opened before and not closed.", offender(e.Conn, e.Direction),
			e.Frame.TypeName(), id)})
}
