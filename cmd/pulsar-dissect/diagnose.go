package main

import (
	"io"

	"pulsar-dissect/diagnose"
	"pulsar-dissect/render"
)

var diagnoseView = view{
	name:  "diagnose",
	short: "What is wrong, whom it concerns, and what to do",
	long: `Looks for causes: requests that nobody answered, consumers that starve, messages
that come again and again, connections that break, and much else. Each finding
says whom it is about, which frames prove it and what to do, most severe first;
the same again is counted. With filters: findings of connections of which they
let something through.`,
	example: `  pulsar-dissect diagnose capture.pcap
  pulsar-dissect diagnose --severity warning --topic orders capture.pcap
  pulsar-dissect diagnose --rules permit-starvation,ack-hole --threshold-starvation 2s capture.pcap
  pulsar-dissect diagnose --explain permit-starvation
  pulsar-dissect diagnose --fail-on error -o json capture.pcap | jq .advice`,
	formats: forAll,
	needs:   needs{messages: true, findings: true},
	without: withoutRows,
	flags:   findingFlags,
	rules:   func() []*diagnose.Rule { return diagnose.Rules },
	sink:    func(w io.Writer, o render.Options) render.Sink { return render.NewFindings(w, o) },
}

// withoutRows are flags about rows, frames and payloads, of which findings have
// none.
var withoutRows = []string{"type", "dir", "request-id", "first", "last", "max-payload", "show-secrets", "no-sha256"}

// findingFlags are those of views that look for something.
func findingFlags(o *options) []flagGroup {
	return []flagGroup{{flagsRules, o.ruleFlags()}, {flagsThresholds, thresholdFlagSet(&o.looked.thresholds)}}
}
