package main

import (
	"io"

	"pulsar-dissect/render"
)

var consumers = view{
	name:  "consumers",
	short: "How each consumer is doing, and since when",
	long: `Shows for each consumer how it was doing when it ended, or at the end of the
capture: flowing, without permits, with nothing to deliver seen, at its limit of
unacknowledged messages, not acknowledging, blocked by a key that another
consumer holds, inactive in a failover subscription; with permits, unacknowledged
messages and the oldest of these. Those that need somebody come first.`,
	example: `  pulsar-dissect consumers capture.pcap
  pulsar-dissect consumers --topic orders capture.pcap
  pulsar-dissect consumers -o json capture.pcap | jq 'select(.state == "no_permits")'`,
	formats: forPeople,
	needs:   needs{verdicts: true},
	without: withoutRows,
	sink:    func(w io.Writer, o render.Options) render.Sink { return render.NewConsumers(w, o) },
}
