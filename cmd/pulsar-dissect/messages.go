package main

import (
	"io"

	"github.com/spf13/pflag"

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
the beginning of its payload, or of its value where a schema is known. With
--payload each is followed by all that is known of it and by its payload: the
value by its schema, else JSON indented, text as text, and hexadecimal.`,
	example: `  pulsar-dissect messages capture.pcap
  pulsar-dissect messages --topic orders --dir s2c --max-payload 64 capture.pcap
  pulsar-dissect messages --payload --first 1 --filter 'sequence_id == 17' capture.pcap
  pulsar-dissect messages --filter 'key == "customer-7"' capture.pcap
  pulsar-dissect messages -o json capture.pcap | jq -r .sha256`,
	formats: forAll,
	rows:    messageKinds,
	records: messageKinds,
	needs:   needs{messages: true, sums: true},
	context: receipts,
	flags:   func(o *options) []flagGroup { return []flagGroup{{flagsOutput, o.wholePayloadFlag()}} },
	sink:    func(w io.Writer, o render.Options) render.Sink { return render.NewMessages(w, o) },
}

// receipts have the ids of messages that were sent; behind the end of a
// connection none comes.
func receipts(e *session.Event, _ bool) bool {
	return e.Kind == session.ConnectionEnd || e.Kind == session.ExchangeSeen && e.Exchange.Kind == session.Send
}

// wholePayloadFlag has each message shown whole.
func (o *options) wholePayloadFlag() *pflag.FlagSet {
	set := newFlagSet()
	set.BoolVar(&o.wholePayload, "payload", false, "each message with all that is known of it, and its payload, below")
	return set
}
