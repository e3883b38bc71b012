package main

import (
	"io"

	"pulsar-dissect/render"
	"pulsar-dissect/session"
)

var analyze = view{
	name:  "analyze",
	short: "Overview on a screen or two (also without the name of a command)",
	long: `Shows what is in captures on a screen or two: files, connections, commands,
topics and subscriptions, latencies, the worst findings, consumers that do not
get on, and what went wrong. REDELIVERED are messages that the subscription had
got before; UNACKED are messages that were delivered and that no consumer has
acknowledged by the end of the capture. With filters: of what they let through,
and of the connections that it belongs to.`,
	example: `  pulsar-dissect capture.pcap
  pulsar-dissect analyze --topic orders dump_*.pcap.gz
  pulsar-dissect analyze -o json capture.pcap | jq 'select(.kind == "summary").exchanges'`,
	formats: forPeople,
	rows:    allKinds,
	records: []session.Kind{session.ConnectionEnd},
	summary: true,
	needs:   needs{messages: true, findings: true, verdicts: true},
	flags: func(o *options) []flagGroup {
		return []flagGroup{{flagsRules, o.failOnFlag()}, {flagsRules, o.skipFlag()}}
	},
	counted: []session.Kind{session.FrameSeen},
	sink:    func(w io.Writer, o render.Options) render.Sink { return render.NewAnalyze(w, o) },
}
