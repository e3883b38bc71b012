package main

import (
	"context"
	"io"
)

// patient is a reader of what may never come: its Read ends when the user
// wants to stop.
type patient struct {
	ctx  context.Context
	from io.Reader
	ask  chan []byte
	got  chan piece
}

type piece struct {
	n   int
	err error
}

func newPatient(ctx context.Context, from io.Reader) *patient {
	return &patient{ctx: ctx, from: from}
}

// Read reads in a goroutine of its own, which waits for ever if it must. After
// the user stopped it is io.EOF, and b is left to that goroutine.
func (p *patient) Read(b []byte) (int, error) {
	if p.ask == nil {
		p.ask, p.got = make(chan []byte), make(chan piece, 1)
		go p.read()
	}
	if p.ctx.Err() != nil {
		return 0, io.EOF
	}
	p.ask <- b
	select {
	case got := <-p.got:
		return got.n, got.err
	case <-p.ctx.Done():
		return 0, io.EOF
	}
}

func (p *patient) read() {
	for b := range p.ask {
		n, err := p.from.Read(b)
		p.got <- piece{n, err}
	}
}
