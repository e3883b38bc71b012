package main

import (
	"io"

	"pulsar-dissect/render"
	"pulsar-dissect/session"
)

var timelineKinds = []session.Kind{session.FrameSeen, session.GapSeen, session.BytesSkipped, session.ConflictSeen, session.ProxySeen, session.BookieSeen}

var timeline = view{
	name:  "timeline",
	short: "Every command, in order of time",
	long: `Shows every command in order of time, who sent it, and what it says; and where
bytes are missing, cannot be read or contradict each other.`,
	example: `  pulsar-dissect timeline capture.pcap
  pulsar-dissect timeline --type 'PRODUCER*,SUBSCRIBE' --conn 10.0.0.7 capture.pcap
  pulsar-dissect timeline --since +10s --until +12s --not --type PING,PONG capture.pcap
  pulsar-dissect timeline -o json --bad capture.pcap | jq .issues`,
	formats: forAll,
	rows:    append([]session.Kind{session.ConnectionEnd, session.ExchangeSeen}, timelineKinds...),
	records: timelineKinds,
	needs:   needs{values: true},
	context: answers,
	sink:    func(w io.Writer, o render.Options) render.Sink { return render.NewTimeline(w, o) },
}

// answers are what the latest frame on show answers, and its messages that a
// schema reads: its line tells. What was never answered is a row.
func answers(e *session.Event, behind bool) bool {
	return behind && (e.Kind == session.MessageSeen || e.Kind == session.ExchangeSeen && e.Exchange.HasResponse)
}
