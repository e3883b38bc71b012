package main

import (
	"io"

	"pulsar-dissect/render"
	"pulsar-dissect/session"
)

var pairs = view{
	name:  "pairs",
	short: "Requests with their responses, and how long they took",
	long: `Shows each request with its response: by request_id, SEND with its receipt,
MESSAGE with its acknowledgement, PING with PONG, CONNECT with CONNECTED; how long
it took, and why there is no answer where there is none.`,
	example: `  pulsar-dissect pairs capture.pcap
  pulsar-dissect pairs --bad capture.pcap
  pulsar-dissect pairs --filter 'exchange == "send" && latency_ns > 50000000' capture.pcap
  pulsar-dissect pairs -o json --type LOOKUP capture.pcap | jq .latency_ns`,
	formats: forAll,
	rows:    []session.Kind{session.ExchangeSeen},
	records: []session.Kind{session.ExchangeSeen},
	sink:    func(w io.Writer, o render.Options) render.Sink { return render.NewPairs(w, o) },
}
