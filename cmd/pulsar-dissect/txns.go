package main

import (
	"io"

	"pulsar-dissect/render"
	"pulsar-dissect/session"
)

var transactionKinds = []session.Kind{session.TxnSeen}

var txns = view{
	name:  "txns",
	alias: "transactions",
	short: "What became of each transaction",
	long: `Shows each transaction: whether it is open, was committed or aborted, by its
client or by the coordinator (whose time it ran out of, or whom an administrator
told to), or could not be ended; how long it was open and how long its end took;
the topics and subscriptions that were added to it, the messages sent and the
acknowledgements made in it, and what was refused. JSON also has what the
coordinator told the broker of each topic, and the markers in topics, where the
traffic between brokers or to bookies was captured.`,
	example: `  pulsar-dissect txns capture.pcap
  pulsar-dissect txns --filter 'state == "aborted" && ended_by == "coordinator"' capture.pcap
  pulsar-dissect txns -o json capture.pcap | jq 'select(.unfinished) | .txn_id'`,
	formats: forAll,
	rows:    transactionKinds,
	records: transactionKinds,
	needs:   needs{messages: true},
	without: withoutRows,
	sink:    func(w io.Writer, o render.Options) render.Sink { return render.NewTransactions(w, o) },
}
