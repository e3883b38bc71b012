package session

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/reassembly"
)

// Kind says what an Event tells.
type Kind uint8

// The kinds of events.
const (
	FrameSeen      Kind = iota // Event.Frame
	MessageSeen                // Event.Message
	ExchangeSeen               // Event.Exchange
	PermitsChanged             // Event.Permits
	ChunkedMessage             // Event.Message and Event.Chunked
	GapSeen                    // Event.Bytes, Cause, Acked
	BytesSkipped               // Event.Bytes, Reason
	ConflictSeen               // Event.Bytes
	ProxySeen                  // Event.Proxy
	BookieSeen                 // Event.Bookie
	TxnSeen                    // Event.Txn: has ended, or no more of it will be seen
	ConnectionEnd              // Event.Conn
)

// RunEnd tells those who look at events one by one that none will follow. A
// session does not give it.
const RunEnd Kind = 255

// TypeName is the name of the frame's command.
func TypeName(r *Ref) string { return decode.TypeName(r.Type) }

// Event is one piece of news. It is reused: valid until the next pull.
type Event struct {
	Kind      Kind
	Conn      *Conn
	Direction decode.Direction
	Offset    int64 // of the frame concerned, or of the first byte
	At        decode.Position
	Frame     *decode.Frame // the frame at hand, also behind messages and permits; nil where there is none
	Message   *Message
	Exchange  *Exchange
	Permits   *Permits
	Chunked   *Chunked
	Proxy     *decode.Proxy
	Bookie    *decode.BookieFrame
	Txn       *Transaction
	Bytes     int64
	Cause     reassembly.Cause
	Acked     bool
	Reason    string
	Producer  *Producer // that the frame is about, where it is known
	Consumer  *Consumer

	session *Session // that reads the entries of bookies
}

// Topic is the topic that the event is about, or empty.
func (e *Event) Topic() string {
	switch {
	case e.Producer != nil:
		return e.Producer.Topic
	case e.Consumer != nil:
		return e.Consumer.Topic
	}
	return ""
}

// TopicInferred says whether the topic was inferred: the frame that named it was
// not captured.
func (e *Event) TopicInferred() bool {
	switch {
	case e.Producer != nil:
		return e.Producer.Topic != "" && e.Producer.Inferred
	case e.Consumer != nil:
		return e.Consumer.Inferred
	}
	return false
}

// MessageID is the position of an entry (MessageIdData): ledger and entry, and
// where they are set the partition and the index in a batch, -1 else.
type MessageID struct {
	Ledger, Entry uint64
	Partition     int32
	BatchIndex    int32
}

// Message is one single message with what is known around it.
type Message struct {
	*decode.Message
	ID              MessageID // only on MESSAGE
	HasID           bool
	RedeliveryCount uint32
	Acked           bool // its ack_set took it as acknowledged
	Txn             TxnID
	InTxn           bool       // it is part of the transaction Txn
	Read            *Elsewhere // the read of a bookie by which the broker got it; nil where that was not seen
	Schema          *Schema    // by which the payload can be read; nil: none is known
	goClient        bool
}

// Chunked tells of a message put together from chunks.
type Chunked struct {
	UUID         string
	ProducerName string
	Chunks       int   // as stated
	TotalSize    int64 // total_chunk_msg_size, bytes
	Complete     bool
	Missing      []int
	IDs          []MessageID // of the chunks, where known
}

// Elsewhere names a frame of another connection, and how long what it began
// took.
type Elsewhere struct {
	Conn       int   // number of the connection in the run
	Offset     int64 // in its direction's stream
	Latency    int64 // ns
	HasLatency bool
}

// Ref names a frame.
type Ref struct {
	Type        int32
	Direction   decode.Direction
	TimeUnknown bool
	Packet      uint64
	Time        int64 // ns since the Unix epoch
	Offset      int64 // in its direction's stream
}

func refOf(f *decode.Frame) Ref {
	return Ref{f.Type, f.Direction, f.Last.TimeUnknown, f.Last.Packet, f.Last.Time, f.Offset}
}

// Result of an exchange.
type Result uint8

// The results.
const (
	OK Result = iota
	Failed
	Unanswered
	Intermediate
	OrphanResponse
	Unacked
	Redelivered
	Repeat
)

// String is the name that the JSON output uses.
func (r Result) String() string {
	return [...]string{"ok", "error", "unanswered", "intermediate", "orphan_response", "unacked", "redelivered", "repeat"}[r]
}

// ExchangeKind is the kind of an exchange.
type ExchangeKind uint8

// The kinds of exchanges.
const (
	Request ExchangeKind = iota
	Send
	Ack
	Ping
	Connect
	Auth
	Bookie // between a broker and a bookie
	Watch
)

// String is the name that the JSON output uses.
func (k ExchangeKind) String() string {
	return [...]string{"request", "send", "ack", "ping", "connect", "auth", "bookie", "watch"}[k]
}

// Exchange is a request with its response. A side that does not exist is not
// set, and then there is no latency.
type Exchange struct {
	Kind        ExchangeKind
	Result      Result
	HasRequest  bool
	HasResponse bool
	Request     Ref
	Response    Ref

	RequestID  uint64    // Request
	Topic      string    // Request: that it names, where neither producer nor consumer is known by it
	ProducerID uint64    // Send
	SequenceID uint64    // Send: of the SEND
	ConsumerID uint64    // Ack
	WatchID    uint64    // Watch
	ID         MessageID // Ack: the entry; Send: where it was stored, if HasID
	HasID      bool
	Messages   int         // Ack: how many messages this took as acknowledged
	Left       int         // Ack: how many of the entry are still open
	Covers     []Cover     // Ack: what a cumulative one closed
	Cumulative bool        // Ack
	Stored     []Elsewhere // Send: AddEntry requests of its entry that bookies answered before the receipt
	Ask        *Ask        // Bookie
	Proxy      *ProxyDelay // of the front leg at a proxy, where the back has the same
	Sent       *Elsewhere  // Bookie: the SEND of the entry, where its receipt came before

	Error string // name of the code
	Text  string // that came with it
	Why   string // of an unanswered one
}

// Cover is one delivery that a cumulative ACK closed, wholly or in part.
type Cover struct {
	ID       MessageID
	Messages int
	Latency  int64 // ns since the delivery
}

// Latency is the time of the response less that of the request in ns; below 0
// where the capture's clock stepped back. There is none without both sides, or
// where the capture gave one of them no time.
func (x *Exchange) Latency() (ns int64, ok bool) {
	if !x.HasRequest || !x.HasResponse || x.Request.TimeUnknown || x.Response.TimeUnknown {
		return 0, false
	}
	return x.Response.Time - x.Request.Time, true
}

// Permits is the state of a consumer's permits after a FLOW or a MESSAGE.
type Permits struct {
	ConsumerID    uint64
	Flow          bool  // granted by a FLOW, else used by a MESSAGE
	N             int64 // permits granted, or used
	Outstanding   int64 // granted less used; below 0 where a batch went out whole
	BaselineKnown bool  // the SUBSCRIBE was seen
}
