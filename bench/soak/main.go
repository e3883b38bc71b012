//go:build linux

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"pulsar-dissect/internal/traffic"
)

// choice is what the flags say.
type choice struct {
	binary, source, flags string
	live                  bool
	length, every         time.Duration
	rate, segment         int
}

func main() {
	var c choice
	flag.StringVar(&c.binary, "binary", "bin/pulsar-dissect", "binary to run")
	flag.StringVar(&c.source, "source", "testdata/captures/load-small-head/load-small-head.pcap.zst", "capture whose connections are repeated")
	flag.IntVar(&c.segment, "segment", 0, "payload bytes of a segment at most; 0: a Pulsar frame each")
	flag.StringVar(&c.flags, "flags", "", "more flags of sniff")
	flag.BoolVar(&c.live, "live", false, "send packets through interfaces, not through a pipe")
	flag.DurationVar(&c.length, "for", time.Minute, "how long")
	flag.DurationVar(&c.every, "every", 10*time.Second, "how often a row is written")
	flag.IntVar(&c.rate, "rate", 0, "packets per second; 0: as many as go")
	flag.Parse()
	if err := c.run(); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func (c *choice) run() error {
	args := append([]string{"sniff"}, strings.Fields(c.flags)...)
	if !c.live {
		s, err := start(c.binary, append(args, "-")...)
		if err != nil {
			return err
		}
		return c.soak(s, pipe{s.in})
	}
	link, err := newLink()
	if err != nil {
		return err
	}
	defer link.remove() //nolint:errcheck // it may be gone
	s, err := start(c.binary, append(args, "-i", link.far, "--user", "root")...)
	if err != nil {
		return err
	}
	if err := s.await(); err != nil {
		return err
	}
	return c.soak(s, link)
}

// sink takes records of a pcap file, and the packet that each holds.
type sink interface {
	head(file []byte) error
	record(whole, packet []byte) error
}

// errDone ends the traffic.
var errDone = errors.New("done")

// soak feeds a process until the time is over.
func (c *choice) soak(s *subject, to sink) error {
	defer s.kill()
	p := &paced{to: to, rate: c.rate, start: time.Now(), end: time.Now().Add(c.length)}
	from, made := io.Pipe()
	go func() {
		err := traffic.Write(made, traffic.Shape{Source: c.source, Segment: c.segment}, endless)
		made.CloseWithError(err)
	}()
	over := make(chan error, 1)
	go func() {
		err := p.copy(from)
		from.CloseWithError(errDone)
		over <- err
	}()
	return s.watch(c.every, p, over)
}

// endless is a size that is never reached.
const endless = 1 << 62
