package capture

import (
	"fmt"
	"strings"
)

// Place is where in the input something is wrong.
type Place struct {
	File   string // as given to Open, "standard input" for "-"
	Packet uint64 // the packet it is about, or the one before it; counted from 1 in its file, 0 for none
	Byte   int64  // offset from 0 in the file, or in what its compression holds
	Within string // name of the compression that Byte is inside of, else empty
}

func (p Place) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: byte %d", p.File, p.Byte)
	if p.Within != "" {
		fmt.Fprintf(&b, " of the %s content", p.Within)
	}
	if p.Packet > 0 {
		fmt.Fprintf(&b, ", packet %d", p.Packet)
	}
	return b.String()
}

// Warning is a fault that does not make the packets around it doubtful, such as
// a tail cut off where the capturing program was killed.
type Warning struct {
	Place
	Text string
}

func (w Warning) String() string { return w.Place.String() + ": " + w.Text }

// Error says that a file could not be read to its end. Everything before Place
// has been given out.
type Error struct {
	Place
	Reason string
	Err    error // of the system or the decompressor, where there is one
}

func (e *Error) Error() string {
	text := e.Place.String() + ": " + e.Reason
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// fileLog takes down what is to be told of one file beside its packets.
type fileLog struct {
	file    string
	within  string        // name of the compression around it, or empty
	tell    func(Warning) // nil to be quiet
	told    int
	last    Place // of the latest warning
	stats   FileStats
	secrets *secrets // nil to keep none
}

func (l *fileLog) place(packet uint64, at int64) Place {
	return Place{File: l.file, Packet: packet, Byte: at, Within: l.within}
}

func (l *fileLog) warn(packet uint64, at int64, format string, args ...any) {
	l.told++
	l.last = l.place(packet, at)
	if l.told <= maxWarnings {
		l.give(fmt.Sprintf(format, args...))
	}
}

func (l *fileLog) give(text string) {
	if l.tell != nil {
		l.tell(Warning{Place: l.last, Text: text})
	}
}

// finish tells how many warnings were held back.
func (l *fileLog) finish() {
	if more := l.told - maxWarnings; more > 0 {
		l.give(fmt.Sprintf("%d more warnings of this file, this being the place of the last", more))
	}
}

func (l *fileLog) broken(packet uint64, at int64, format string, args ...any) error {
	return &Error{Place: l.place(packet, at), Reason: fmt.Sprintf(format, args...)}
}
