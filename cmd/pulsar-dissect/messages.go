package main

import (
	"io"

	"pulsar-dissect/render"
	"pulsar-dissect/session"
)

var messageKinds = []session.Kind{session.MessageSeen, session.ChunkedMessage}

var messages = view{
	name:  "messages",
	alias: "batches",
	short: "Every message, out of its batch and decompressed",
	long: `Shows every single message that was sent or delivered: unpacked from its batch,
decompressed, put together from its chunks; with topic, id, key, properties and
the beginning of its payload.`,
	example: `  pulsar-dissect messages capture.pcap
  pulsar-dissect messages --topic orders --dir s2c --max-payload 64 capture.pcap
  pulsar-dissect messages --filter 'key == "customer-7"' capture.pcap
  pulsar-dissect messages -o json capture.pcap | jq -r .sha256`,
	formats: forAll,
	rows:    messageKinds,
	records: messageKinds,
	needs:   needs{messages: true, sums: true},
	context: receipts,
	sink:    func(w io.Writer, o render.Options) render.Sink { return render.NewMessages(w, o) },
}

// receipts have the ids of messages that were sent; behind the end of a
// connection none comes.
func receipts(e *session.Event, _ bool) bool {
	return e.Kind == session.ConnectionEnd || e.Kind == session.ExchangeSeen && e.Exchange.Kind == session.Send
}
