package decode

import (
	"pulsar-dissect/decode/bookie"
	"pulsar-dissect/reassembly"
)

// Position is a packet's place in the run.
type Position = reassembly.Position

// Direction of bytes on a connection.
type Direction uint8

// The directions.
const (
	ClientToServer Direction = iota
	ServerToClient
)

// String is the name that the JSON output uses.
func (d Direction) String() string { return [...]string{"c2s", "s2c"}[d] }

// Kind says what an Event tells.
type Kind uint8

// The kinds of events.
const (
	FrameSeen     Kind = iota // a frame, whole or cut by the capture
	BookieSeen                // a frame between a broker and a bookie
	ProxySeen                 // a PROXY protocol preface
	GapSeen                   // bytes that the capture does not have
	BytesSkipped              // bytes in which no frame boundary was found
	ConflictSeen              // a segment brought other bytes for what was there already
	ConnectionEnd             // nothing more will come of this connection
)

// Event is one piece of news about a connection. It is reused: valid until the
// next pull.
type Event struct {
	Kind      Kind
	Conn      *Conn
	Direction Direction
	Offset    int64    // of the first byte concerned in the direction's stream
	At        Position // Frame.Last for a frame
	Frame     *Frame   // FrameSeen; borrowed as the event is
	Bookie    *BookieFrame
	Proxy     *Proxy // ProxySeen
	Bytes     int64  // GapSeen, BytesSkipped, ConflictSeen
	Cause     reassembly.Cause
	Acked     bool   // GapSeen: the peer had the bytes
	Reason    string // BytesSkipped
}

// Protocol is what a connection speaks, told by content.
type Protocol uint8

// The protocols that are told apart.
const (
	Empty      Protocol = iota // no bytes
	Pulsar                     // frames of the binary protocol
	BookKeeper                 // frames between a broker and a bookie
	TLS                        // TLS records
	HTTP                       // HTTP requests or responses
	Unknown                    // bytes that are none of these
)

// String is the name that the JSON output uses.
func (p Protocol) String() string {
	return [...]string{"empty", "pulsar", "bookkeeper", "tls", "http", "unknown"}[p]
}

// Conn is a connection as this stage knows it.
type Conn struct {
	TCP            *reassembly.Conn
	ID             int    // number of the connection in the run, from 0
	Name           string // client_ip:port-server_ip:port; empty until the roles are fixed
	Protocol       Protocol
	RoleFrom       string          // what fixed the roles: CONNECT, CONNECTED, SYN, command, higher_port
	Client         reassembly.Side // valid once Name is set
	MaxMessageSize int64           // max_message_size of CONNECTED in bytes, 0 if none was seen
	Frames         [2]uint64       // by Direction
	SkippedBytes   [2]int64        // by Direction: bytes without a frame
	FirstBytes     [2][]byte       // by Side: the first bytes of a stream that is no Pulsar, at most 32
	RoleConflict   bool            // a later frame contradicts the roles; the next frame reports it
	State          any             // belongs to the stage that reads the events

	streams   [2]stream
	queue     eventQueue
	queueSize int
	solid     bool
	forced    bool // the user said that it is Pulsar
	ended     bool
	bookie    *bookie.Reader // nil unless it is known to speak BookKeeper
	asker     int8           // then the side that sends requests, or unknownAsker
}

const unknownAsker int8 = -1

// DirectionOf gives the direction of what a side sends.
func (c *Conn) DirectionOf(s reassembly.Side) Direction {
	if s == c.Client {
		return ClientToServer
	}
	return ServerToClient
}

// SideOf gives the side that sends in a direction.
func (c *Conn) SideOf(d Direction) reassembly.Side {
	if d == ClientToServer {
		return c.Client
	}
	return c.Client.Other()
}
