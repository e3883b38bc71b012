package diagnose

import (
	"fmt"

	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var flowInvalid = &Rule{
	Name:     "flow-invalid",
	Severity: Warning,
	Title:    "FLOW of 0 permits, or of more than 2^31-1",
	Meaning: "A FLOW grants the broker a positive number of messages that it may send. Brokers check that, and close the connection over 0 or " +
		"what is negative as a signed number.",
	Advice: "Send a FLOW only when there is room for at least one message.",
	Blind:  "Whether the sum of permits overflows in the broker.",
	Lint:   true,
	Frames: []pb.BaseCommand_Type{pb.BaseCommand_FLOW},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			if e.Kind != session.FrameSeen || e.Frame.Incomplete {
				return
			}
			if n, ok := e.Frame.Uint(field.CommandFlowMessagePermits); ok && int32(n) <= 0 {
				r.Warn(about(e), fmt.Sprintf("The %s granted %d permits.", offender(e.Conn, e.Direction), uint32(n)), here(e))
			}
		}
	},
}
