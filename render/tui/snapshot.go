package tui

import (
	"pulsar-dissect/diagnose"
	"pulsar-dissect/session/dispatch"
)

// Snapshot is how a run stands at a moment. It is not changed once it is given.
type Snapshot struct {
	Number      uint64 // grows
	First, Last int64  // time of the first and the latest event, ns since the Unix epoch
	Now         int64  // how late it is, the same; Last, or later where nothing has come since
	Seen        uint64 // events
	Frames      uint64
	Ended       bool // no more will come

	Unjudged    bool // consumers are not followed
	Topics      []TopicRow
	Consumers   []ConsumerRow
	Producers   []ProducerRow
	Connections []ConnectionRow
	Findings    []diagnose.Finding
	Events      Entries
	Unlisted    uint64   // topics, parties and connections that were too many to have a row
	News        []string // what the run had to say, the latest last
	NewsSeen    uint64
}

// TopicRow is a topic.
type TopicRow struct {
	Name              string
	In, Out           uint64  // messages in all
	InRate, OutRate   float64 // messages a second, over the last minute
	InBytes, OutBytes float64 // bytes a second, over the same
	Publishers        int
	Subscriptions     int
	Consumers         int
	Unacked           int64
	Waiting           int // entries that subscriptions are known to wait for
}

// ConsumerRow is a consumer.
type ConsumerRow struct {
	Conn                          int
	ID                            uint64
	Name, Topic, Subscription     string
	Type                          string
	State                         dispatch.Doing
	Since                         int64 // ns since the Unix epoch
	Permits, Unacked              int64
	Age                           int64 // ns, of the oldest that is not acknowledged; 0: none
	Waiting                       int
	Delivered, Acked, Redelivered int64
}

// ProducerRow is a producer.
type ProducerRow struct {
	Conn     int
	ID       uint64
	Name     string
	Topic    string
	Open     bool
	Sent     uint64 // SENDs
	Messages uint64
	Errors   uint64
	InFlight uint64 // SENDs without an answer so far
	P50, P99 int64  // ns, of the latest 256 SENDs until the receipt; 0 without any
}

// ConnectionRow is a connection.
type ConnectionRow struct {
	ID                   int
	Name                 string // client-server
	Client               string // version that it states
	Open                 bool
	Frames               [2]uint64 // by direction
	Bytes                [2]uint64 // of frames, by direction
	Last                 int64     // time of its latest frame, ns since the Unix epoch
	Quiet                int64     // ns since then, while it is open
	Producers, Consumers int       // open
	Lost                 uint64    // gaps and skipped bytes
}
