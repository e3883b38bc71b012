package summary

import (
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/session"
)

// Example names one occurrence of something, so that it can be looked at.
type Example struct {
	Conn      string // name of the connection
	ConnID    int
	Direction decode.Direction
	Packet    uint64
	Time      int64  // ns since the Unix epoch
	Offset    int64  // in its direction's stream, bytes
	Topic     string // that it is about, where known; from the wire
	Text      string // what there is to say, from the wire: not fit for a terminal as it is
}

// Noted is how often something occurred, with the first examples.
type Noted struct {
	Count    uint64
	examples [maxExamples]Example
}

// Examples are the first occurrences.
func (n *Noted) Examples() []Example {
	return n.examples[:min(n.Count, maxExamples)]
}

// note counts an occurrence.
func (n *Noted) note(e *session.Event, text string) {
	if n.Count < maxExamples {
		n.examples[n.Count] = Example{
			Conn: e.Conn.Name, ConnID: e.Conn.ID, Direction: e.Direction, Packet: e.At.Packet, Time: e.At.Time, Offset: e.Offset,
			Topic: kept(e.Topic()), Text: kept(text),
		}
	}
	n.Count++
}

// kept is a copy of text, cut: a part of a string would keep all of it.
func kept(text string) string {
	return strings.Clone(text[:min(len(text), maxExampleText)])
}
