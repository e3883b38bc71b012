package render

import (
	"pulsar-dissect/session"
	"pulsar-dissect/session/stats"
	"pulsar-dissect/session/summary"
	"pulsar-dissect/session/trace"
)

// Sink is a face of a run: it takes the events that concern it, in order, and
// writes what a user sees of them. It passes over kinds of events that it has
// no use for.
//
// A row, with its line ends, is one call of Write, so that a writer in between
// can count rows. What stands above the rows is written by the constructor or
// at once before the first row.
type Sink interface {
	// Event takes the next event, which is borrowed: valid until the call
	// returns. An error is that of the writer.
	Event(e *session.Event) error
	// Close writes what is left to be said at the end of the run. The writer
	// stays open.
	Close(end *End) error
}

// Waiting is a Sink that may hold rows back until later events complete them.
// While it does, a run goes on although no more rows are asked for.
type Waiting interface {
	Sink
	Waiting() bool
}

// Format is how a face looks.
type Format string

// The formats.
const (
	Table     Format = "table"   // for people, aligned to the width of the terminal
	Compact   Format = "compact" // for people and grep: one line a row
	JSONLines Format = "json"    // for scripts: one object a line
)

// Options are what every face can be told.
type Options struct {
	Format       Format
	Color        bool
	Width        int      // columns of the terminal, 0 where the output is none
	Files        []string // names, by Position.File
	MaxPayload   int      // bytes of a payload shown at most, 0: none
	ShowSecrets  bool
	Again        bool   // the captures can be read again: findings say how to cut out their evidence
	WholePayload bool   // messages: each with all facts and its payload below its row
	Start        *int64 // time of the first packet of the run, ns; set by the time of the first event; nil: the first event's
	Live         bool   // rows are wanted as soon as they are known, although some come out of order
	WallClock    bool   // times of day, UTC, in place of seconds since the first packet
	Limits       Limits
}

// Limits are those of what faces count and follow.
type Limits struct {
	Summary summary.Limits
	Stats   stats.Limits
	Trace   trace.Limits
}

// End is what is known only when a run is over.
type End struct {
	summary.Totals
	Nothing Nothing
}
