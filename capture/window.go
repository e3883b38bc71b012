package capture

import (
	"errors"
	"io"
)

// window is a view of a stream that slides forward: what has been read and not
// yet been taken is one slice, so that records need no copy.
type window struct {
	src        io.Reader
	buf        []byte
	start, end int   // unread bytes are buf[start:end]
	offset     int64 // of buf[start] in the stream
	err        error // why src gives no more, io.EOF included
}

// maxEmptyReads is how often src may give nothing and no error.
const maxEmptyReads = 100

func newWindow(src io.Reader, buf []byte) *window {
	return &window{src: src, buf: buf}
}

// peek gives the next n bytes without taking them; fewer only where the stream
// ends, and why is in err then. The slice is valid until the next peek.
func (w *window) peek(n int) []byte {
	if w.end-w.start < n {
		w.fill(n)
		n = min(n, w.end-w.start)
	}
	return w.buf[w.start : w.start+n]
}

// take moves on by n bytes, which must have been seen by peek.
func (w *window) take(n int) {
	w.start += n
	w.offset += int64(n)
}

// fill reads until n bytes are there or the stream ends. It never waits for
// more than n bytes, so that a packet on a pipe is given out when it is there.
func (w *window) fill(n int) {
	for w.end-w.start < n && w.err == nil {
		w.makeRoom(n)
		w.read()
	}
}

// makeRoom lets buf hold more than it does: bytes are moved to its start, and it
// is doubled only when it is full of bytes that are there.
func (w *window) makeRoom(n int) {
	if w.start == w.end {
		w.start, w.end = 0, 0
	}
	if w.start > 0 && w.start+n > len(w.buf) {
		w.end = copy(w.buf, w.buf[w.start:w.end])
		w.start = 0
	}
	if w.end == len(w.buf) {
		w.buf = append(w.buf, make([]byte, len(w.buf))...)
	}
}

func (w *window) read() {
	for range maxEmptyReads {
		n, err := w.src.Read(w.buf[w.end:])
		w.end += n
		w.err = err
		if n > 0 || err != nil {
			return
		}
	}
	w.err = io.ErrNoProgress
}

// failure is why the stream ended, nil for its proper end.
func (w *window) failure() error {
	if w.err == nil || errors.Is(w.err, io.EOF) {
		return nil
	}
	return w.err
}

// Read makes a window a reader of what it has not given yet.
func (w *window) Read(b []byte) (int, error) {
	if len(w.peek(1)) == 0 {
		return 0, w.err
	}
	n := copy(b, w.buf[w.start:w.end])
	w.take(n)
	return n, nil
}

func (w *window) ReadByte() (byte, error) {
	if w.start == w.end && len(w.peek(1)) == 0 {
		return 0, w.err
	}
	b := w.buf[w.start]
	w.take(1)
	return b, nil
}
