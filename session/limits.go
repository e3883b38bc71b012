package session

import "pulsar-dissect/decode"

// Limits bounds what a session holds. Zero fields take the defaults.
type Limits struct {
	RequestsPerConnection  int // open requests
	ProducersPerConnection int
	ConsumersPerConnection int
	SendsPerProducer       int // SENDs without a receipt
	DeliveriesPerConsumer  int // deliveries not acknowledged
	Acknowledged           int // acknowledged ids remembered, over all consumers
	Pings                  int // PINGs without a PONG per direction
	ChunkedMessages        int // messages being put together from chunks
	ChunkBytes             int // their bytes in all
	BatchMessages          int // messages of an entry that are read one by one
	Schemas                int // schemas of topics
	SchemaBytes            int // their bytes in all
	Legs                   int // connections that wait for their other leg at a proxy, and exchanges of one leg for those of the other
	Inferences             int // ledgers, and names of producers, whose topic is remembered
	Transactions           int // transactions that are followed, with those remembered that have ended
	TransactionBytes       int // their bytes in all
	Stored                 int // entries remembered that bookies stored, that they gave back, that were sent: so many of each
}

// The default limits.
const (
	DefaultRequestsPerConnection  = 10_000
	DefaultProducersPerConnection = 10_000
	DefaultConsumersPerConnection = 10_000
	DefaultSendsPerProducer       = 100_000
	DefaultDeliveriesPerConsumer  = 100_000
	DefaultAcknowledged           = 100_000
	DefaultPings                  = 1_000
	DefaultChunkedMessages        = 1_000
	DefaultChunkBytes             = 128 << 20
	DefaultSchemas                = 10_000
	DefaultSchemaBytes            = 32 << 20
	DefaultStored                 = 100_000
	DefaultInferences             = 10_000
	DefaultLegs                   = 10_000
	DefaultTransactions           = 100_000
	DefaultTransactionBytes       = 64 << 20
)

func (l Limits) withDefaults() Limits {
	for v, d := range map[*int]int{
		&l.RequestsPerConnection:  DefaultRequestsPerConnection,
		&l.ProducersPerConnection: DefaultProducersPerConnection,
		&l.ConsumersPerConnection: DefaultConsumersPerConnection,
		&l.SendsPerProducer:       DefaultSendsPerProducer,
		&l.DeliveriesPerConsumer:  DefaultDeliveriesPerConsumer,
		&l.Acknowledged:           DefaultAcknowledged,
		&l.Pings:                  DefaultPings,
		&l.ChunkedMessages:        DefaultChunkedMessages,
		&l.ChunkBytes:             DefaultChunkBytes,
		&l.BatchMessages:          decode.DefaultBatchMessages,
		&l.Schemas:                DefaultSchemas,
		&l.SchemaBytes:            DefaultSchemaBytes,
		&l.Stored:                 DefaultStored,
		&l.Inferences:             DefaultInferences,
		&l.Legs:                   DefaultLegs,
		&l.Transactions:           DefaultTransactions,
		&l.TransactionBytes:       DefaultTransactionBytes,
	} {
		if *v <= 0 {
			*v = d
		}
	}
	return l
}

// Counters says how often limits were hit: how many of each were let go.
type Counters struct {
	Requests     uint64
	Parties      uint64 // producers and consumers
	Sends        uint64
	Deliveries   uint64
	Acknowledged uint64
	Chunked      uint64
	Batches      uint64 // entries with too many messages
	Schemas      uint64
	Stored       uint64
	Inferences   uint64
	Legs         uint64
	Transactions uint64 // that had not ended
}
