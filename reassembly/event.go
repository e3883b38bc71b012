package reassembly

// Kind says what an Event tells.
type Kind uint8

// The kinds of events, in the order in which a connection can have them.
const (
	Opened   Kind = iota // first packet of a connection
	Data                 // the next bytes of a direction, in order
	Gap                  // bytes that the capture does not have
	Conflict             // a segment brought other bytes for what was there already; they were left out
	Ended                // nothing more will come of this connection
	Sealed               // encrypted bytes that could not be opened; from the stage decrypt
)

// Cause says why bytes are missing.
type Cause uint8

// The causes of gaps.
const (
	NotCaptured Cause = iota // no packet with these bytes is in the capture
	SnapLength               // the packet was cut by the capture's snap length
	MemoryLimit              // given up because a limit on held bytes was hit
)

// String is the name that the JSON output uses (OUTPUT contract, kind gap).
func (c Cause) String() string {
	return [...]string{"capture", "snaplen", "memory_limit"}[c]
}

// Side numbers the two endpoints of a connection: 0 sent its first packet.
type Side uint8

// Other is the peer.
func (s Side) Other() Side { return 1 - s }

// Position is a packet's place in the run.
type Position struct {
	Packet      uint64 // number of the packet, from 1, as the source counts
	Order       uint64 // place in the order of processing, from 1; differs from Packet where the source sorted
	Time        int64  // ns since the Unix epoch
	File        int    // index of the file
	TimeUnknown bool   // the container gave no time
}

// Event is one piece of news about a connection. It is reused: valid until the
// next pull.
type Event struct {
	Kind   Kind
	Conn   *Conn
	Side   Side     // the sender of the bytes
	Offset int64    // of the first byte in the direction's stream; 0 is the byte after the SYN, without one the first captured; behind the stage decrypt, of the plain text
	Data   []byte   // Data: the bytes, borrowed
	Bytes  int64    // Gap, Conflict, Sealed: how many; of Sealed, as they are on the wire; of a Gap 0 where decrypt cannot tell
	Cause  Cause    // Gap: why
	Acked  bool     // Gap: the peer acknowledged the bytes, so the capture lost them
	At     Position // Data, Conflict: the packet that brought the bytes; else the packet being processed
	Reason string   // Sealed: why
}
