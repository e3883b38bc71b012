package main

import (
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/term"
)

// outputBuffer is the size of the buffer of standard output, in bytes, and
// usualRow how much of it is free for a row that is made in it.
const (
	outputBuffer = 64 << 10
	usualRow     = 8 << 10
)

// flushInterval is how long a row may stay in the buffer where somebody may be
// waiting for it.
const flushInterval = 50 * time.Millisecond

// output is standard output behind one buffer.
type output struct {
	terminal bool
	file     io.Writer

	live bool       // rows are flushed while nothing comes
	mu   sync.Mutex // held while buf is used, if live
	buf  []byte     // rows that were not written yet
	err  error      // of the first write that failed
	quit chan struct{}
}

// newOutput makes an output. A live one is flushed every now and then: where a
// person reads along, or the input comes as it is captured.
func newOutput(to io.Writer, live bool) *output {
	o := &output{terminal: isTerminal(to), file: to, live: live, buf: make([]byte, 0, outputBuffer), quit: make(chan struct{})}
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
			o.writeOut()
			o.mu.Unlock()
		}
	}
}

// Write takes a row.
func (o *output) Write(row []byte) (int, error) {
	if o.live {
		o.mu.Lock()
		defer o.mu.Unlock()
	}
	if !o.made(row) {
		if len(row) > cap(o.buf)-len(o.buf) {
			o.writeOut()
		}
		if len(row) > cap(o.buf) {
			o.send(row)
			return len(row), o.err
		}
		o.buf = append(o.buf, row...)
	}
	if cap(o.buf)-len(o.buf) < usualRow {
		o.writeOut()
	}
	return len(row), o.err
}

// AvailableBuffer gives the free part of the buffer, so that the next row can be
// made where Write wants it, as of a bufio.Writer: the copy took 5% of the time on
// small frames. There is none where flushing could come in between.
func (o *output) AvailableBuffer() []byte {
	if o.live {
		return nil
	}
	return o.buf[len(o.buf):]
}

// made takes a row that was made in the buffer.
func (o *output) made(row []byte) bool {
	free := o.buf[len(o.buf):cap(o.buf)]
	if len(row) == 0 || len(row) > len(free) || &row[0] != &free[0] {
		return false
	}
	o.buf = o.buf[:len(o.buf)+len(row)]
	return true
}

// writeOut empties the buffer.
func (o *output) writeOut() {
	if len(o.buf) > 0 {
		o.send(o.buf)
		o.buf = o.buf[:0]
	}
}

// send writes, unless an earlier write failed.
func (o *output) send(b []byte) {
	if o.err == nil {
		_, o.err = o.file.Write(b)
	}
}

func (o *output) flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writeOut()
	return writing(o.err)
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
