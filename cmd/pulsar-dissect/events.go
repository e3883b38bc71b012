package main

import "pulsar-dissect/render"

var events = view{
	name:  "events",
	short: "Everything that was found, as records for scripts",
	long: `Writes every record as JSON, one object a line (JSON Lines): connections, frames,
messages, exchanges, permits, gaps, transactions, verdicts on consumers, findings (neither with
--first, since they need all of a capture, nor with --type, --dir or --request-id,
which are about frames), and at the end a summary. The names are those
of the protocol; 'pulsar-dissect schema' describes them.`,
	example: `  pulsar-dissect events capture.pcap | jq 'select(.kind == "message") | .payload_text'
  pulsar-dissect events --filter 'kind == "exchange" && latency_ns > 100000000' capture.pcap
  pulsar-dissect events --otlp http://127.0.0.1:4318 capture.pcap > /dev/null
  zcat capture.pcap.gz | pulsar-dissect events --max-payload 0 -`,
	formats: []render.Format{render.JSONLines},
	rows:    allKinds,
	records: allKinds,
	summary: true,
	needs:   needs{messages: true, sums: true, findings: true, verdicts: true},
	flags: func(o *options) []flagGroup {
		monitored := newFlagSet()
		o.spans.addTo(monitored)
		return []flagGroup{{flagsRules, o.skipFlag()}, {flagsMonitored, monitored}}
	},
}
