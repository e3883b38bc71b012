//go:build linux

package main

import (
	"bufio"
	"encoding/binary"
	"io"
	"sync/atomic"
	"time"
)

// paced hands on the records of a pcap file at a rate.
type paced struct {
	to    sink
	rate  int // packets per second; 0: as many as go
	start time.Time
	end   time.Time
	sent  atomic.Int64 // packets
}

// Sizes of the parts of a pcap file.
const (
	fileHead   = 24
	recordHead = 16
)

// burst is how many packets go before the time is looked at.
const burst = 64

// copy ends without an error when the time is over.
func (p *paced) copy(from io.Reader) error {
	r := bufio.NewReaderSize(from, 1<<20)
	head, err := r.Peek(fileHead)
	if err != nil {
		return err
	}
	if err := p.to.head(head); err != nil {
		return err
	}
	if _, err := r.Discard(fileHead); err != nil {
		return err
	}
	for {
		if p.sent.Load()%burst == 0 && !p.wait() {
			return nil
		}
		head, err := r.Peek(recordHead)
		if err != nil {
			return err
		}
		size := recordHead + int(binary.LittleEndian.Uint32(head[8:]))
		whole, err := r.Peek(size)
		if err != nil {
			return err
		}
		if err := p.to.record(whole, whole[recordHead:]); err != nil {
			return err
		}
		if _, err := r.Discard(size); err != nil {
			return err
		}
		p.sent.Add(1)
	}
}

// wait sleeps until the next packets are due, and says whether there is time left.
func (p *paced) wait() bool {
	now := time.Now()
	if p.rate > 0 {
		due := p.start.Add(time.Duration(p.sent.Load()) * time.Second / time.Duration(p.rate))
		if ahead := due.Sub(now); ahead > time.Millisecond {
			time.Sleep(ahead)
		}
	}
	return now.Before(p.end)
}

// pipe is the standard input of a process.
type pipe struct{ io.Writer }

func (p pipe) head(file []byte) error {
	_, err := p.Write(file)
	return err
}

func (p pipe) record(whole, _ []byte) error {
	_, err := p.Write(whole)
	return err
}
