package main

import (
	"time"

	"github.com/spf13/pflag"

	"pulsar-dissect/decode"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/render/metrics"
	"pulsar-dissect/render/otlp"
	"pulsar-dissect/render/tui"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
	"pulsar-dissect/session/stats"
	"pulsar-dissect/session/summary"
	"pulsar-dissect/session/trace"
)

// limits are those of all stages.
type limits struct {
	segment    segment.Limits
	reassembly reassembly.Limits
	decrypt    decrypt.Limits
	decode     decode.Limits
	session    session.Limits
	dispatch   dispatch.Limits
	summary    summary.Limits
	stats      stats.Limits
	trace      trace.Limits
	metrics    metrics.Limits
	otlp       otlp.Limits
	tui        tui.Limits
}

// limit is a row of the table of limits.
type limit struct {
	name  string
	value pflag.Value
	about string
}

// flags has a row for every field of the limits, and gives each its default.
func (l *limits) flags() []limit {
	s, r, t, d, x := &l.segment, &l.reassembly, &l.decrypt, &l.decode, &l.session
	p, n, c, b := &l.dispatch, &l.summary, &l.stats, &l.trace
	return []limit{
		{"limit-fragment-bytes", inBytes(&s.FragmentBytes, 16<<20), "bytes of IP fragments kept"},
		{"limit-fragments", counted(&s.FragmentDatagrams, 4096), "fragmented IP packets put together at once"},
		{"limit-fragment-age", lasting(&s.FragmentAge, 30*time.Second), "how long fragments wait for others, by packet time"},
		{"limit-held-per-direction", inBytes(&r.HeldPerDirection, reassembly.DefaultHeldPerDirection), "bytes behind a gap kept of one direction of a connection"},
		{"limit-held", inBytes(&r.Held, reassembly.DefaultHeld), "the same of all connections"},
		{"limit-hold-time", lasting(&r.HoldTime, reassembly.DefaultHoldTime), "how long a gap is waited for, by packet time"},
		{"limit-acked-hold-time", lasting(&r.AckedHoldTime, reassembly.DefaultAckedHoldTime), "the same where the peer had the bytes"},
		{"limit-linger", lasting(&r.Linger, reassembly.DefaultLinger), "how long a closed connection takes late packets, by packet time"},
		{"limit-connections", counted(&r.Connections, reassembly.DefaultConnections), "connections open at once"},
		{"limit-tls-handshake", inBytes(&t.HandshakeMessage, decrypt.DefaultHandshakeMessage), "bytes of a TLS handshake message that is read"},
		{"limit-tls-waiting-per-direction", inBytes(&t.Waiting, decrypt.DefaultWaiting), "bytes of one direction that wait for a TLS secret"},
		{"limit-tls-waiting", inBytes(&t.WaitingInAll, decrypt.DefaultWaitingInAll), "the same of all connections"},
		{"limit-tls-sessions", counted(&t.Sessions, decrypt.DefaultSessions), "TLS sessions and tickets remembered"},
		{"limit-tls-keylog", counted(&t.KeyLogEntries, decrypt.DefaultKeyLogEntries), "TLS connections whose secrets are kept"},
		{"limit-waiting-frames", inBytes(&d.Held, decode.DefaultHeld), "bytes of frames of a connection that wait for the other direction"},
		{"limit-waiting-time", lasting(&d.HoldTime, decode.DefaultHoldTime), "how long such a frame waits, by packet time"},
		{"limit-requests", counted(&x.RequestsPerConnection, session.DefaultRequestsPerConnection), "open requests of a connection"},
		{"limit-producers", counted(&x.ProducersPerConnection, session.DefaultProducersPerConnection), "producers of a connection"},
		{"limit-consumers", counted(&x.ConsumersPerConnection, session.DefaultConsumersPerConnection), "consumers of a connection"},
		{"limit-sends", counted(&x.SendsPerProducer, session.DefaultSendsPerProducer), "SENDs of a producer without a receipt"},
		{"limit-deliveries", counted(&x.DeliveriesPerConsumer, session.DefaultDeliveriesPerConsumer), "deliveries to a consumer that are not acknowledged"},
		{"limit-acknowledged", counted(&x.Acknowledged, session.DefaultAcknowledged), "acknowledged ids remembered, of all consumers"},
		{"limit-pings", counted(&x.Pings, session.DefaultPings), "PINGs of one direction without a PONG"},
		{"limit-chunked-messages", counted(&x.ChunkedMessages, session.DefaultChunkedMessages), "messages put together from chunks at once"},
		{"limit-chunk-bytes", inBytes(&x.ChunkBytes, session.DefaultChunkBytes), "bytes of their chunks kept"},
		{"limit-batch-messages", counted(&x.BatchMessages, decode.DefaultBatchMessages), "messages of an entry that are read one by one"},
		{"limit-schemas", counted(&x.Schemas, session.DefaultSchemas), "schemas of topics remembered"},
		{"limit-schema-bytes", inBytes(&x.SchemaBytes, session.DefaultSchemaBytes), "their bytes in all"},
		{"limit-legs", counted(&x.Legs, session.DefaultLegs), "connections that wait for their other leg at a proxy, and exchanges of a leg for those of the other"},
		{"limit-inferences", counted(&x.Inferences, session.DefaultInferences), "ledgers, and names of producers, whose topic is remembered"},
		{"limit-transactions", counted(&x.Transactions, session.DefaultTransactions), "transactions followed, with those remembered that have ended"},
		{"limit-transaction-bytes", inBytes(&x.TransactionBytes, session.DefaultTransactionBytes), "their bytes in all"},
		{"limit-stored", counted(&x.Stored, session.DefaultStored), "entries remembered that bookies stored, gave back, and that were sent: so many of each"},
		{"limit-dispatch-entries", counted(&p.Entries, dispatch.DefaultEntries), "deliveries remembered to tell why they come again"},
		{"limit-dispatch-owed", counted(&p.Owed, dispatch.DefaultOwed), "entries of a subscription that were stored and not delivered yet"},
		{"limit-dispatch-owed-in-all", counted(&p.OwedInAll, dispatch.DefaultOwedInAll), "the same of all subscriptions; those without a consumer give theirs up first"},
		{"limit-dispatch-sends", counted(&p.Sends, dispatch.DefaultSends), "SENDs whose entries are waited for"},
		{"limit-summary-topics", counted(&n.Topics, summary.DefaultTopics), "topics that are counted one by one"},
		{"limit-summary-subscriptions", counted(&n.Subscriptions, summary.DefaultSubscriptions), "subscriptions that are counted one by one"},
		{"limit-summary-names", inBytes(&n.NameBytes, summary.DefaultNameBytes), "bytes of their names"},
		{"limit-summary-groups", counted(&n.Groups, summary.DefaultGroups), "kinds of errors, issues and unanswered requests counted one by one"},
		{"limit-stats-rows", counted(&c.Rows, stats.DefaultRows), "rows of stats, over all intervals"},
		{"limit-stats-names", inBytes(&c.NameBytes, stats.DefaultNameBytes), "bytes of the names in them"},
		{"limit-stats-sketches", counted(&c.Sketches, stats.DefaultSketches), "distributions of latencies in them"},
		{"limit-stats-entities", counted(&c.Entities, stats.DefaultEntities), "producers and consumers that stats --as pulsar-admin knows at a time"},
		{"limit-otlp-spans", counted(&l.otlp.Spans, otlp.DefaultSpans), "spans that wait to be sent to a collector"},
		{"limit-otlp-entries", counted(&l.otlp.Entries, otlp.DefaultEntries), "entries whose trace is remembered: from SEND to receipt, to delivery, to acknowledgement, so many of each"},
		{"limit-trace-steps", counted(&b.Steps, trace.DefaultSteps), "steps of all messages that are traced"},
		{"limit-tui-events", counted(&l.tui.Events, tui.DefaultEvents), "events that tui lists, rounded up to a multiple of 1,024"},
		{"limit-tui-bytes", inBytes(&l.tui.Bytes, tui.DefaultBytes), "bytes of the latest frames that sniff --face top keeps without -w"},
		{"limit-tui-rows", counted(&l.tui.Rows, tui.DefaultRows), "producers, consumers, connections and findings that it lists, of each"},
		{"limit-metric-topics", counted(&l.metrics.Topics, metrics.DefaultTopics), "topics with metrics of their own; those of others are added up"},
		{"limit-trace-sends", counted(&b.Sends, trace.DefaultSends), "SENDs that may yet prove to be of a traced message"},
	}
}

func inBytes(to *int, usual int) pflag.Value {
	*to = usual
	return size[int]{to}
}

func counted(to *int, usual int) pflag.Value {
	*to = usual
	return number{to}
}

func lasting(to *time.Duration, usual time.Duration) pflag.Value {
	*to = usual
	return span{to}
}

// flagSet are the limits as flags.
func (l *limits) flagSet() *pflag.FlagSet {
	set := newFlagSet()
	for _, row := range l.flags() {
		set.Var(row.value, row.name, row.about)
	}
	return set
}
