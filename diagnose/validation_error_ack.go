package diagnose

import (
	"fmt"

	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var validationErrorAck = &Rule{
	Name:     "validation-error-ack",
	Severity: Error,
	Title:    "Client threw messages away",
	Meaning: "The client could not read a message and acknowledged it with the reason, so that it does not come again. The application never " +
		"saw it: for the application it is lost.",
	Advice: "The reason says which step failed. ChecksumMismatch: compare with the SEND of the message (checksum-bad). DecompressionError and " +
		"UncompressedSizeCorruption: see compression-mismatch. BatchDeSerializeError: see batch-malformed.",
	Blind:  "Clients that throw messages away without saying so.",
	Frames: []pb.BaseCommand_Type{pb.BaseCommand_ACK},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			if e.Kind != session.FrameSeen {
				return
			}
			reason, ok := e.Frame.Uint(field.CommandAckValidationError)
			if !ok || reason == uint64(pb.CommandAck_DecryptionError) { // undecryptable tells of these
				return
			}
			id, _ := session.IDOf(e.Frame, field.CommandAckMessageId)
			name := pb.CommandAck_ValidationError(reason).String()
			r.Report(Finding{Severity: Error, Title: "Client threw messages away: " + name, Subject: about(e), Evidence: []Evidence{here(e)},
				Detail: fmt.Sprintf("ACK of %d:%d with validation error %s.", id.Ledger, id.Entry, name)})
		}
	},
}
