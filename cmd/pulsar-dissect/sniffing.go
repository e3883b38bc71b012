package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"pulsar-dissect/capture"
	"pulsar-dissect/capture/live"
	"pulsar-dissect/render"
)

// liveSource is where packets come from as they are captured.
type liveSource interface {
	packetSource
	io.Closer
}

// run captures and shows, until it is told to end.
func (s *sniffing) run(ctx context.Context, o *options, std streams) error {
	v := s.view(o)
	if err := s.check(o, v); err != nil {
		return err
	}
	c := newConsole(std.err)
	if s.duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.duration)
		defer cancel()
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	idle := func() {}
	source, err := s.open(ctx, o, std, c, func() { idle() })
	if err != nil {
		return inputError{err}
	}
	defer source.Close() //nolint:errcheck // what was only read may close as it likes
	out := newOutput(std.out, true)
	defer out.stop()
	r, err := v.prepare(o, source, out)
	if err != nil {
		return err
	}
	idle = func() { r.idle(out) }
	r.stages.taken = s.counter(stop)
	if err := s.giveUpRights(); err != nil {
		return err
	}
	began := time.Now()
	err = r.run(context.WithoutCancel(ctx), c) // the source ends, and what it gave is shown to its end
	if flushed := out.flush(); err == nil {
		err = flushed
	}
	c.say(s.summary(source.Stats(), time.Since(began), r))
	return err
}

// open begins to capture, or to read what another program captures.
func (s *sniffing) open(ctx context.Context, o *options, std streams, c *console, idle func()) (liveSource, error) {
	if len(o.files) > 0 {
		return capture.Open(o.files, capture.Options{
			Warn: func(w capture.Warning) { c.warn(ctx, w.String()) }, Stdin: newPatient(ctx, std.in), Idle: idle,
		})
	}
	l := s.live
	l.Filter.Ports = o.ports
	l.Tell, l.Idle = func(news string) { c.tell(news) }, idle
	source, err := live.Open(l)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, source.Stop)
	return source, nil
}

// counter stops after so many packets as the user wants.
func (s *sniffing) counter(stop func()) func(*capture.Packet) bool {
	if s.count == 0 {
		return nil
	}
	return func(p *capture.Packet) bool { return p.Number < uint64(s.count) }
}

// idle shows everything, since nothing more is at hand.
func (r *showing) idle(out *output) {
	if i, ok := r.sink.(render.Idling); ok {
		_ = i.Idle() // the next write gives the same error
	}
	_ = out.flush() // as above
}

// summary says what was captured and lost.
func (s *sniffing) summary(stats capture.Stats, took time.Duration, r *showing) string {
	f := &stats.Files[0]
	var lost, dropped uint64
	for _, i := range f.Interfaces {
		lost, dropped = lost+i.OSDropped, dropped+i.Dropped
	}
	words := []string{fmt.Sprintf("%d packets (%d bytes) from %s in %s", f.Packets, f.Bytes, f.Name, took.Round(10*time.Millisecond))}
	words = append(words, fmt.Sprintf("%d lost by the kernel, %d by interfaces", lost, dropped))
	return strings.Join(words, "; ")
}
