package diagnose

import (
	"fmt"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var frameTooLarge = &Rule{
	Name:     "frame-too-large",
	Severity: Error,
	Title:    "Frame larger than the receiver takes",
	Meaning: "A peer closes the connection over a frame above its limit: max_message_size of CONNECTED, 5 MiB where it says nothing, and " +
		"10 KiB for what comes with a message. Everything on the connection has to be opened again, and the frame is sent anew.",
	Advice: "Turn chunking or batching limits on in the producer, or raise maxMessageSize on brokers, bookies and clients alike. A large list of " +
		"topics or a large schema can be too large as well.",
	Blind:  "The limit of a client, which it does not announce.",
	Frames: []pb.BaseCommand_Type{AllFrames},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			if e.Kind != session.FrameSeen || e.Frame.Size <= leastLimit(e.Conn) {
				return
			}
			f := e.Frame
			r.Warn(about(e), fmt.Sprintf("The %s sent a %s of %s; %s.", party(e.Direction), f.TypeName(), size(f.Size), limitOf(e.Conn)), here(e))
		}
	},
}

// framePadding is what a peer takes beyond the largest message, in bytes.
const framePadding = 10 << 10

func largestMessage(c *session.Conn) int64 {
	if c.MaxMessageSize > 0 {
		return c.MaxMessageSize
	}
	return decode.DefaultMaxMessageSize
}

// leastLimit is the largest frame, in bytes with its size field, that a peer takes.
func leastLimit(c *session.Conn) int64 { return largestMessage(c) + framePadding + 4 }

func limitOf(c *session.Conn) string {
	if c.MaxMessageSize > 0 {
		return "the broker announced a largest message of " + size(c.MaxMessageSize)
	}
	return "the default limit is " + size(int64(decode.DefaultMaxMessageSize))
}
