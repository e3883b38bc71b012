package diagnose

import (
	"slices"

	"pulsar-dissect/session"
)

var chunkOrphan = &Rule{
	Name:     "chunk-orphan",
	Severity: Warning,
	Title:    "Chunks of a message without its first",
	Meaning: "Chunks came whose first chunk did not: a consumer that began in the middle of the message, or a first chunk that was acknowledged or expired " +
		"on its own. Consumers cannot use them, and some fail on them.",
	Advice: "Begin readers at the first chunk of a message. If consumers are stuck on it, acknowledge these chunks or skip them.",
	Blind:  "Chunks sent before the capture began.",
	Kinds:  []session.Kind{session.ChunkedMessage},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			if e.Kind == session.ChunkedMessage && !e.Chunked.Complete && slices.Contains(e.Chunked.Missing, 0) && whole(e.Conn) {
				r.missingChunks(e)
			}
		}
	},
}
