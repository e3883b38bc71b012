package session

import (
	"pulsar-dissect/decode"
)

// Conn is a connection as the session knows it.
type Conn struct {
	*decode.Conn
	ClientVersion   string
	ServerVersion   string
	ClientProtocol  int32 // protocol_version of CONNECT, -1 if not seen
	ServerProtocol  int32 // protocol_version of CONNECTED, -1 if not seen
	AuthMethod      string
	ProxyToBroker   string // proxy_to_broker_url of CONNECT
	Proxy           *decode.Proxy
	Heard           [2]decode.Position // by Direction: its last frame so far, until the connection is being closed
	Producers       map[uint64]*Producer
	Consumers       map[uint64]*Consumer
	Forgetful       bool      // producers or consumers were let go by a limit: one that was not seen to open may have been
	producer        *Producer // of the last command about one; nil: to be looked up
	consumer        *Consumer
	producerTurns   turns
	consumerTurns   turns
	replDedup       [2]int8 // supports_repl_dedup_by_lid_and_eid of CONNECT and CONNECTED: 0 not seen, 1 yes, -1 no
	connect         *Ref
	challenge       *Ref
	refreshed       *Ref // last AUTH_RESPONSE
	pings           [2][]Ref
	requests        openRequests
	watches         map[watchKey]Ref
	bookieRequests  map[bookieKey][]bookieRequest
	schemaQuestions map[uint64]schemaQuestion // by request_id
	openings        uint64
	connectTime     int64 // of the CONNECT, ns
	Legs            []Leg // at most one of each role
	front, back     *Conn // its other legs, nil where there are none
	relay           *relay
	suspicion       *suspicion
	twins           *recent[twinKey, twin] // of a back: exchanges that the front has not had yet
	matchedAnError  bool                   // the ERROR at hand answered a request
}

type watchKey struct {
	request int32 // type
	id      uint64
}

// Producer is one producer of a connection.
type Producer struct {
	ID      uint64
	Topic   string
	Name    string
	Known   bool // PRODUCER was seen
	Named   bool // a name is known
	Phase   Phase
	used    bool   // since it was last passed over
	opening uint64 // number of its PRODUCER in the connection
	request uint64 // request_id of its PRODUCER
	sends   sendQueue
	ledger  uint64 // of the entry seen last, plus one; 0: none

	Inferred bool // Topic or Name come from other frames than those that opened it

	State any // of who follows producers; the session leaves it alone

	schemaTopic   string
	schema        *Schema // that it declared
	schemaVersion []byte  // as the broker answered
}

// Opening tells the openings of producers on a connection apart: it grows with
// each PRODUCER, 0 where none was seen.
func (p *Producer) Opening() uint64 { return p.opening }

// Consumer is one consumer of a connection.
type Consumer struct {
	ID           uint64
	Topic        string
	Subscription string
	Type         string // of the subscription
	Name         string
	Known        bool // SUBSCRIBE was seen
	Phase        Phase
	Granted      int64
	Used         int64
	used         bool // since it was last passed over
	deliveries   deliveries
	ledger       uint64 // of the entry seen last, plus one; 0: none

	Inferred bool // Topic comes from other frames than its SUBSCRIBE

	State any // of who follows consumers; the session leaves it alone

	schemaTopic string
	schema      *Schema // that it declared
}

func (s *Session) connOf(d *decode.Conn) *Conn {
	if c, ok := d.State.(*Conn); ok {
		return c
	}
	c := &Conn{Conn: d, ClientProtocol: -1, ServerProtocol: -1}
	d.State = c
	s.opened(c)
	return c
}

// nonPersistent says whether the topic is not stored: all its messages carry
// the id 0:0 and are not acknowledged.
func nonPersistent(topic string) bool {
	const scheme = "non-persistent:"
	return len(topic) >= len(scheme) && topic[:len(scheme)] == scheme
}
