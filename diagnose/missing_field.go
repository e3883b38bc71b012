package diagnose

import (
	"fmt"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var missingField = &Rule{
	Name:     "missing-required-field",
	Severity: Warning,
	Title:    "Required field is missing",
	Meaning: "The schema says that a field has to be there. Readers that keep to it refuse the whole command or metadata, and close the " +
		"connection; others take a default, and go on with a wrong value.",
	Advice: "Let the sender set the field. A schema file of its own in which the field is optional is a usual cause.",
	Blind:  "What the receiver makes of it.",
	Lint:   true,
	Frames: []pb.BaseCommand_Type{OddFrames},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			if f := e.Frame; e.Kind == session.FrameSeen && !f.Incomplete && lacksField(e) {
				missing := issueText(f, wire.MissingRequired.String())
				r.Report(Finding{Severity: Warning, Title: f.TypeName() + " without " + missing, Subject: about(e), Evidence: []Evidence{here(e)},
					Detail: fmt.Sprintf("The %s sent %s without the required field %s.", offender(e.Conn, e.Direction), f.TypeName(), missing)})
			}
		}
	},
}

func lacksField(e *session.Event) bool {
	f := e.Frame
	var found wire.IssueKind
	if f.Type >= 0 { // else the command could not be read, so that nothing is known to be missing
		found = f.Base.Found
	}
	if f.HasMetadata {
		found |= f.Metadata.Found
	}
	if f.HasBrokerEntry {
		found |= f.BrokerEntry.Found
	}
	return found&wire.MissingRequired != 0
}
