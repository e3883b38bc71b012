package diagnose

import (
	"fmt"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var checksumAbsent = &Rule{
	Name:     "checksum-absent",
	Severity: Info,
	Title:    "Payload frame without a checksum",
	Meaning: "Since protocol version 6 payload frames carry a CRC32-C. Receivers take frames without one, but what changes on the way, in memory or on " +
		"disk is then noticed by nobody.",
	Advice: "Let the producer's client write the checksum (0e01 and the CRC32-C before the metadata). A broker passes on what it was sent.",
	Blind:  "A MESSAGE without a checksum tells of the client that sent it, which may be another one.",
	Lint:   true,
	Frames: []pb.BaseCommand_Type{OddFrames},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			c := e.Conn
			if e.Kind == session.FrameSeen && e.Frame.Checksum == decode.ChecksumAbsent && e.Frame.PayloadFault == "" &&
				min(c.ClientProtocol, c.ServerProtocol) >= checksumSince {
				r.Warn(about(e), fmt.Sprintf("The %s sent a %s without a checksum, although both sides speak version %d or later.",
					offender(c, e.Direction), e.Frame.TypeName(), checksumSince), here(e))
			}
		}
	},
}

// checksumSince is the protocol version from which payload frames carry a
// checksum.
const checksumSince = 6
