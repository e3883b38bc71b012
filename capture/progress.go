package capture

import (
	"io"
	"sync/atomic"
)

// progress adds up what has been read of all files, in bytes on disk.
type progress struct {
	done  atomic.Int64
	total int64
	told  int64
	tell  func(done, total int64)
}

// progressStep is how many bytes lie between two calls of Options.Progress.
const progressStep = 1 << 20

// report tells how far reading is, if that is news.
func (p *progress) report() {
	if done := p.done.Load(); p.tell != nil && done-p.told >= progressStep {
		p.told = done
		p.tell(done, p.total)
	}
}

// counted counts the bytes of a file, perhaps in a goroutine that reads ahead.
type counted struct {
	io.Reader
	progress *progress
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.progress.done.Add(int64(n))
	return n, err
}

// reporting reports in the goroutine that takes the packets.
type reporting struct {
	io.Reader
	progress *progress
}

func (r *reporting) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.progress.report()
	return n, err
}
