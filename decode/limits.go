package decode

import "time"

// Limits bounds what is believed and what is held. Zero fields take the
// defaults.
type Limits struct {
	MaxFrame int64         // largest total size believed, in bytes; 0: what the protocol and the connection say
	Held     int           // bytes of frames of one connection that wait for the other direction
	HoldTime time.Duration // packet time that a frame waits for the other direction
}

// The default limits. HoldTime is above the time for which reassembly waits.
const (
	DefaultHeld     = 8 << 20
	DefaultHoldTime = 90 * time.Second
)

// believed is the largest total size, in bytes, that a frame in its place may
// have.
func (l *Limits) believed() int64 {
	if l.MaxFrame > 0 {
		return l.MaxFrame
	}
	return hugeFrame
}

// expected is the largest total size that needs no proof.
func (l *Limits) expected(c *Conn) int64 {
	if l.MaxFrame > 0 {
		return l.MaxFrame
	}
	return max(DefaultMaxMessageSize, c.MaxMessageSize) + framePadding
}

// searched is the largest total size of a frame that a search may find.
func (l *Limits) searched(c *Conn) int64 { return min(l.expected(c), l.believed()) }

func (l *Limits) held() int {
	if l.Held > 0 {
		return l.Held
	}
	return DefaultHeld
}

func (l *Limits) holdTime() time.Duration {
	if l.HoldTime > 0 {
		return l.HoldTime
	}
	return DefaultHoldTime
}
