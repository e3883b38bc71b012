package reassembly

import "time"

// Limits bounds what the assembler holds. Zero fields take the defaults.
type Limits struct {
	HeldPerDirection int           // bytes out of order in one direction
	Held             int           // bytes out of order in all
	Connections      int           // connections open at once
	HoldTime         time.Duration // packet time that a hole may stay open
	AckedHoldTime    time.Duration // the same where the peer acknowledged the bytes, once more packets came
	Linger           time.Duration // packet time for which a closed connection still takes late packets
}

// The default limits. HoldTime is above common retransmission timeouts, since
// a capture at the receiver sees what the network lost only when it is sent
// again.
const (
	DefaultHeldPerDirection = 8 << 20
	DefaultHeld             = 32 << 20
	DefaultConnections      = 100_000
	DefaultHoldTime         = 60 * time.Second
	DefaultAckedHoldTime    = time.Second
	DefaultLinger           = 2 * time.Second
)

func (l Limits) withDefaults() Limits {
	setDefault(&l.HeldPerDirection, DefaultHeldPerDirection)
	setDefault(&l.Held, DefaultHeld)
	setDefault(&l.Connections, DefaultConnections)
	setDefault(&l.HoldTime, DefaultHoldTime)
	setDefault(&l.AckedHoldTime, DefaultAckedHoldTime)
	setDefault(&l.Linger, DefaultLinger)
	return l
}

func setDefault[T int | time.Duration](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

// Counters says how often limits were hit and what that cost.
type Counters struct {
	HeldLimit        uint64 // holes given up because a limit on held bytes was hit
	HoldTimeout      uint64 // holes given up because they were open too long
	ConnectionLimit  uint64 // connections ended early because too many were open
	Connections      uint64 // connections seen
	HeldBytesHighest int    // most bytes held at once
}
