package tui

import (
	"slices"

	"pulsar-dissect/decode"
	"pulsar-dissect/render"
	"pulsar-dissect/session"
	"pulsar-dissect/session/trace"
)

// Entry is what is kept of an event for the list.
type Entry struct {
	Place
	Kind        session.Kind
	NoTime      bool
	HasLatency  bool
	HasMessage  bool
	HasSequence bool
	Time        int64 // ns since the Unix epoch
	Packet      uint64
	Party       Party
	Topic       string
	Producer    string // name
	Command     string
	Text        render.Cell
	Latency     int64       // ns, of what it answers
	Message     trace.Entry // that it is about
	Sequence    uint64      // of the SEND that it is about
}

// Place is where an event lies.
type Place struct {
	Offset    int64 // in its direction's stream
	Conn      int32 // number of the connection in the run
	Direction decode.Direction
}

// Party names a producer or consumer of a connection.
type Party struct {
	ID   uint64
	Role Role
}

// Role is what a party is.
type Role uint8

// The roles.
const (
	NoParty Role = iota
	IsProducer
	IsConsumer
)

// blockSize is how many events are let go at once.
const blockSize = 1024

type block [blockSize]Entry

// Log keeps the latest events. One goroutine adds to it; what it has given as
// Entries is not changed any more.
type Log struct {
	limit int
	Entries
}

// Entries are events by their number in the run, from First to End, without End.
type Entries struct {
	First, End uint64
	blocks     []*block
	of         *Log
}

// NewLog makes a log of so many events, rounded up to whole blocks of 1,024.
func NewLog(limit int) *Log { return &Log{limit: max(limit, 1)} }

// add appends an event, and lets the oldest go.
func (l *Log) add(e *Entry) {
	if n := len(l.blocks); n == 0 || l.End-l.First == uint64(n)*blockSize {
		if n > 0 && n*blockSize >= l.limit+blockSize-1 {
			l.blocks = slices.Clone(l.blocks[1:]) // who has the blocks as they were keeps them
			l.First += blockSize
		}
		l.blocks = append(l.blocks, &block{})
	}
	l.blocks[len(l.blocks)-1][l.End%blockSize] = *e
	l.End++
}

// View gives what is there now.
func (l *Log) View() Entries {
	v := l.Entries
	v.of = l
	v.blocks = v.blocks[:len(v.blocks):len(v.blocks)]
	return v
}

// SameRun says whether other entries are of the same run, so that numbers mean the
// same events.
func (v *Entries) SameRun(o *Entries) bool { return v.of == o.of }

// At gives the event of a number between First and End.
func (v *Entries) At(n uint64) *Entry {
	return &v.blocks[(n-v.First)/blockSize][n%blockSize]
}
