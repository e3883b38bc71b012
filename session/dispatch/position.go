package dispatch

import (
	"cmp"
	"strconv"

	"pulsar-dissect/session"
)

// Position is the place of an entry in a topic: ledger and entry id.
type Position struct{ Ledger, Entry uint64 }

func positionOf(id session.MessageID) Position { return Position{id.Ledger, id.Entry} }

// String is ledger:entry.
func (p Position) String() string {
	return strconv.FormatUint(p.Ledger, 10) + ":" + strconv.FormatUint(p.Entry, 10)
}

// Compare orders positions as a topic has them.
func (p Position) Compare(o Position) int {
	return cmp.Or(cmp.Compare(p.Ledger, o.Ledger), cmp.Compare(p.Entry, o.Entry))
}

// nowhere is what a broker answers for an entry it did not store: -1:-1.
var nowhere = Position{1<<64 - 1, 1<<64 - 1}

// Ref names a frame, of which connection it is, and when it was.
type Ref struct {
	Conn *session.Conn
	session.Ref
}

// Known says whether there is such a frame.
func (r *Ref) Known() bool { return r.Conn != nil }

// refOf is the frame at hand.
func refOf(e *session.Event) Ref {
	r := Ref{Conn: e.Conn, Ref: session.Ref{Type: -1, Direction: e.Direction, Packet: e.At.Packet, Time: e.At.Time,
		TimeUnknown: e.At.TimeUnknown, Offset: e.Offset}}
	if e.Frame != nil {
		r.Type = e.Frame.Type
	}
	return r
}
