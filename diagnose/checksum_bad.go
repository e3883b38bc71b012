package diagnose

import (
	"fmt"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var checksumBad = &Rule{
	Name:     "checksum-bad",
	Severity: Error,
	Title:    "CRC32-C of a message does not match",
	Meaning: "The checksum that was sent with the entry is not that of its metadata and payload. A broker refuses such a SEND; " +
		"a client throws such a MESSAGE away and asks for it again.",
	Advice: "On a SEND: look at the producer's application, which may change its buffer after handing it over, and at what lies " +
		"between client and capture. On a MESSAGE: compare with the SEND of the same entry; if that was right, broker or storage changed it.",
	Blind:  "Where bytes were damaged before the first capture point.",
	Frames: []pb.BaseCommand_Type{pb.BaseCommand_SEND, pb.BaseCommand_MESSAGE},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			if e.Kind == session.FrameSeen && e.Frame.Checksum == decode.ChecksumBad {
				r.Warn(about(e), fmt.Sprintf("%s states checksum %08x, its bytes have %08x.", e.Frame.TypeName(),
					e.Frame.StoredChecksum, e.Frame.ComputedChecksum), here(e))
			}
		}
	},
}
