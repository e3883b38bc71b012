package diagnose

import (
	"fmt"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var messageCountMismatch = &Rule{
	Name:     "message-count-mismatch",
	Severity: Warning,
	Title:    "num_messages of SEND disagrees with the metadata",
	Meaning: "The broker counts a SEND by num_messages of the command: its rates, its backlog and the permits that a delivery takes follow from it or " +
		"from num_messages_in_batch of the metadata. Where they disagree, statistics are wrong and permits drift.",
	Advice: "Let the client write the same number to both: num_messages is 1 where the entry is no batch.",
	Blind:  "How many messages the payload really holds; batch-malformed looks at that.",
	Lint:   true,
	Frames: []pb.BaseCommand_Type{pb.BaseCommand_SEND},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			f := e.Frame
			if e.Kind != session.FrameSeen || !f.HasMetadata || isMarker(e) {
				return
			}
			if stated, real := statedMessages(f), f.MessageCount(); stated != real {
				r.Warn(about(e), fmt.Sprintf("The %s sent a SEND with num_messages %d, but the metadata says %d.", offender(e.Conn, e.Direction),
					stated, real), here(e))
			}
		}
	},
}

// isMarker says whether the entry is the broker's own, not an application's.
func isMarker(e *session.Event) bool {
	_, ok := e.Frame.Metadata.Int32(wire.Top, field.MessageMetadataMarkerType)
	return ok
}
