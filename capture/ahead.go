package capture

import (
	"io"
	"sync"
	"time"
)

// ahead reads from src in a goroutine of its own, up to aheadBlocks of its
// blocks before they are asked for.
type ahead struct {
	src     io.ReadCloser
	full    chan aheadBlock
	free    chan []byte
	stopped chan struct{}
	stop    sync.Once
	idle    func()     // is called ahead of waiting for a block; nil: nobody is told
	block   aheadBlock // being read from
	rest    []byte     // of it
}

type aheadBlock struct {
	buf []byte
	n   int
	err error
}

func newAhead(src io.ReadCloser, blockSize int) *ahead {
	a := &ahead{
		src:     src,
		full:    make(chan aheadBlock, aheadBlocks),
		free:    make(chan []byte, aheadBlocks),
		stopped: make(chan struct{}),
	}
	for range aheadBlocks {
		a.free <- make([]byte, blockSize)
	}
	go a.run()
	return a
}

// run ends with the first error, the end of src included, or when it is stopped.
func (a *ahead) run() {
	defer a.src.Close()
	defer close(a.full)
	for {
		select {
		case <-a.stopped:
			return
		case buf := <-a.free:
			b := aheadBlock{buf: buf}
			b.n, b.err = a.src.Read(buf)
			a.full <- b // there is room for every block
			if b.err != nil {
				return
			}
		}
	}
}

func (a *ahead) Read(b []byte) (int, error) {
	if len(a.rest) == 0 {
		if err := a.turn(); err != nil {
			return 0, err
		}
	}
	n := copy(b, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// turn gives the block back that has been read and waits for the next.
func (a *ahead) turn() error {
	if a.block.err != nil {
		return a.block.err
	}
	if a.block.buf != nil {
		a.free <- a.block.buf
	}
	var open bool
	if a.block, open = a.wait(); !open {
		return io.ErrClosedPipe
	}
	a.rest = a.block.buf[:a.block.n]
	if len(a.rest) == 0 {
		return a.block.err
	}
	return nil
}

// wait waits for the next block, and has it told that none is there, every second
// anew.
func (a *ahead) wait() (b aheadBlock, open bool) {
	for a.idle != nil && len(a.full) == 0 {
		a.idle()
		select {
		case b, open = <-a.full:
			return b, open
		case <-time.After(time.Second):
		}
	}
	b, open = <-a.full
	return b, open
}

// Close stops reading. It does not wait: src may be a pipe on which nothing comes.
func (a *ahead) Close() error {
	a.stop.Do(func() { close(a.stopped) })
	return nil
}
