package diagnose

import (
	"fmt"
	"slices"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var frameLayout = &Rule{
	Name:     "frame-layout",
	Severity: Warning,
	Title:    "Frame is not laid out as its command needs",
	Meaning: "Behind the command of SEND and MESSAGE come checksum, metadata and payload; behind that of any other comes nothing. A receiver " +
		"ignores what is too much, or reads it as the next frame; where the payload part is missing or breaks off it closes the connection.",
	Advice: "Fix the sizes that the sender writes: total size and command size have to agree with what follows.",
	Blind:  "Frames that the capture does not have whole.",
	Lint:   true,
	Frames: []pb.BaseCommand_Type{OddFrames},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			if e.Kind != session.FrameSeen || e.Frame.Incomplete {
				return
			}
			if title := misfit(e.Frame); title != "" {
				r.Report(Finding{Severity: Warning, Title: title, Subject: about(e), Evidence: []Evidence{here(e)},
					Detail: fmt.Sprintf("The %s sent a %s of %s: %s.", offender(e.Conn, e.Direction), e.Frame.TypeName(), size(e.Frame.Size), title)})
			}
		}
	},
}

// misfit says what is wrong with the layout of a frame; "" if nothing is.
func misfit(f *decode.Frame) string {
	switch {
	case f.PayloadFault == "no_payload_section":
		return f.TypeName() + " without the payload part"
	case f.PayloadFault != "":
		return f.TypeName() + " with a broken payload part (" + f.PayloadFault + ")"
	case f.Command != nil && slices.Contains(f.Issues, "bytes_after_command"):
		return f.TypeName() + " with bytes after the command"
	}
	return ""
}
