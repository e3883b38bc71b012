package main

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/term"
)

// outputBuffer is the size of the buffer of standard output, in bytes.
const outputBuffer = 64 << 10

// flushInterval is how long a row may stay in the buffer where somebody may be
// waiting for it.
const flushInterval = 50 * time.Millisecond

// output is standard output behind one buffer.
type output struct {
	terminal bool
	file     io.Writer

	live bool       // rows are flushed while nothing comes
	mu   sync.Mutex // held while w is used, if live
	w    *bufio.Writer
	quit chan struct{}
}

// newOutput makes an output. A live one is flushed every now and then: where a
// person reads along, or the input comes as it is captured.
func newOutput(to io.Writer, live bool) *output {
	o := &output{terminal: isTerminal(to), file: to, live: live, w: bufio.NewWriterSize(to, outputBuffer), quit: make(chan struct{})}
	if live {
		go o.keepFlushing()
	}
	return o
}

func (o *output) keepFlushing() {
	tick := time.NewTicker(flushInterval)
	defer tick.Stop()
	for {
		select {
		case <-o.quit:
			return
		case <-tick.C:
			o.mu.Lock()
			o.w.Flush() //nolint:errcheck // the next Write gives the same error
			o.mu.Unlock()
		}
	}
}

// Write takes a row.
func (o *output) Write(row []byte) (int, error) {
	if !o.live {
		return o.w.Write(row)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.w.Write(row)
}

func (o *output) flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return writing(o.w.Flush())
}

// stop ends the flushing.
func (o *output) stop() { close(o.quit) }

// width is the number of columns that the environment states, or those of the
// terminal; 0 if there is none.
func (o *output) width() int {
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	if f, ok := o.file.(*os.File); ok && o.terminal {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil {
			return columns
		}
	}
	return 0
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// colored tells whether to use colour.
func (o *options) colored(terminal bool) bool {
	switch o.color {
	case always:
		return true
	case never:
		return false
	}
	return terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// writing marks an error of writing the output.
func writing(err error) error {
	if err == nil {
		return nil
	}
	return inputError{err}
}
