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
messages and the oldest of these. Those that need somebody come first.

UNACKED are messages that the consumer had at that moment and had not
acknowledged; those that it gave back are not among them. REDELIVERED are
messages that its subscription had got before, from it or another consumer.`,
	example: `  pulsar-dissect consumers capture.pcap
  pulsar-dissect consumers --topic orders capture.pcap
  pulsar-dissect consumers -o json capture.pcap | jq 'select(.state == "no_permits")'`,
	formats: forAll,
	needs:   needs{verdicts: true},
	without: withoutRows,
	sink:    func(w io.Writer, o render.Options) render.Sink { return render.NewConsumers(w, o) },
}
