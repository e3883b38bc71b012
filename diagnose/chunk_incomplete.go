package diagnose

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pulsar-dissect/session"
)

var chunkIncomplete = &Rule{
	Name:     "chunk-incomplete",
	Severity: Warning,
	Title:    "Message in chunks is not complete",
	Meaning: "Some chunks of a large message never came: its producer ended in the middle, or chunks were lost, refused or expired. Consumers hold what they have, " +
		"and in the end throw it away; the chunks that are stored stay in the backlog until somebody acknowledges them.",
	Advice: "Look at why the producer stopped (connection, quota, timeout). Let consumers drop incomplete messages (expireTimeOfIncompleteChunkedMessage, " +
		"autoAckOldestChunkedMessageOnQueueFull).",
	Blind: "Chunks sent before the capture began or after it ended. A message whose first chunk is missing is chunk-orphan.",
	Kinds: []session.Kind{session.ChunkedMessage},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			if e.Kind == session.ChunkedMessage && !e.Chunked.Complete && !slices.Contains(e.Chunked.Missing, 0) {
				r.missingChunks(e)
			}
		}
	},
}

// stillComing is how long before the end of the capture a message may have got
// its last chunk and still be on its way, ns.
const stillComing = int64(seldom)

func (r *Reporter) missingChunks(e *session.Event) {
	x := e.Chunked
	ended := r.now()-e.At.Time > stillComing || closed(e.Conn)
	last := here(e)
	last.Type = [...]string{"SEND", "MESSAGE"}[e.Direction]
	f := Finding{Severity: Warning, Subject: about(e), Evidence: []Evidence{last},
		Detail: fmt.Sprintf("Of message %s of producer %s %d of %d chunks came; missing: %s.", x.UUID, x.ProducerName, x.Chunks-len(x.Missing), x.Chunks, numbers(x.Missing))}
	if !gapless(e.Conn) || !ended {
		f.Severity = Info
	}
	r.Report(f)
}

// numbers lists numbers from 0 on, the first of them.
func numbers(of []int) string {
	const most = 10
	words := []string{}
	for _, n := range of[:min(most, len(of))] {
		words = append(words, strconv.Itoa(n))
	}
	if len(of) > most {
		words = append(words, fmt.Sprintf("and %d more", len(of)-most))
	}
	return strings.Join(words, ", ")
}
