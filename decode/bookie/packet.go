package bookie

import (
	"encoding/binary"

	"pulsar-dissect/decode/wire"
)

// DefaultPort is where bookies listen by default. It is a hint only.
const DefaultPort = 3181

// Sizes of version 2, in bytes.
const (
	sizeLength    = 4  // length of what follows, ahead of every frame
	sizeHeader    = 4  // version, operation, flags
	sizeMasterKey = 20 // digest of the ledger's password
	sizeID        = 8  // ledger id, entry id
	sizeStatus    = 4
)

// Role says who sends a packet, as far as its bytes tell.
type Role uint8

// The roles.
const (
	Either Role = iota // AUTH of version 2 is the same in both directions
	Request
	Response
)

// Packet is one frame, without its length. What is not on the wire is not set.
type Packet struct {
	Version int // 2 or 3
	Op      Op
	Role    Role

	Flags  uint16 // of a version 2 request
	TxnID  uint64 // of version 3, request_id of a batched read of version 2
	HasTxn bool

	Ledger, Entry       int64 // entry -1: the last add confirmed
	HasLedger, HasEntry bool
	MaxCount            int32 // of a batched read of version 2
	MaxSize             int64

	Status    Status
	HasStatus bool
	MasterKey []byte // of version 2

	LAC    int64 // explicit last add confirmed of a READ_LAC response
	HasLAC bool

	Stored []Stored // entries that travel in it

	Header *wire.Walk // version 3: the Request or Response
	Fields *wire.Walk // version 3, and AUTH of version 2: holds the fields of the operation
	Parent int        // their parent in Fields

	Fault string // why the rest cannot be read, or empty
	Rest  []byte // version 2: bytes that could not be read
}

// Flags of requests of version 2. The names are those of the protocol.
const (
	flagFencing      = 1 << iota // reads only: closes the ledger to its writer
	flagRecoveryAdd              // adds only: writes into a fenced ledger
	flagHighPriority             //
	knownFlags       = flagFencing | flagRecoveryAdd | flagHighPriority
)

var flagNames = []string{"DO_FENCING", "RECOVERY_ADD", "HIGH_PRIORITY"}

// FlagNames calls take with the name of every flag that is set.
func (p *Packet) FlagNames(take func(name string)) {
	for i, name := range flagNames {
		if p.Flags>>i&1 != 0 {
			take(name)
		}
	}
}

// cursor reads numbers from bytes that may end too early.
type cursor struct {
	b     []byte
	short bool // there were too few bytes
}

func (c *cursor) bytes(n int) []byte {
	if len(c.b) < n {
		c.b, c.short = nil, true
		return nil
	}
	out := c.b[:n]
	c.b = c.b[n:]
	return out
}

func (c *cursor) uint32() uint32 {
	if b := c.bytes(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) int64() int64 {
	if b := c.bytes(sizeID); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}
