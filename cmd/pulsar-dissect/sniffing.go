package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pulsar-dissect/capture"
	"pulsar-dissect/capture/follow"
	"pulsar-dissect/capture/live"
	"pulsar-dissect/confine"
	"pulsar-dissect/render"
)

// liveSource is where packets come from as they are captured.
type liveSource interface {
	packetSource
	io.Closer
}

// run captures and shows, until it is told to end.
func (s *sniffing) run(ctx context.Context, o *options, std streams) (err error) {
	v := s.view(o)
	if err := firstOf(s.check(o, v), s.checkWritten(o, std.in)); err != nil {
		return err
	}
	if err := s.openScreen(ctx, o, std); err != nil {
		return err
	}
	defer s.top.release(std.err)
	c := newConsole(s.top.messages(std.err))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if s.duration > 0 {
		ctx, stop = context.WithTimeout(ctx, s.duration)
		defer stop()
	}
	if err := s.monitored.open(); err != nil {
		return err
	}
	defer s.monitored.close()
	var r *showing
	out := newOutput(s.top.rows(std.out), true)
	defer out.stop()
	source, err := s.open(ctx, o, std, c, func() { s.idle(r, out, c) })
	if err != nil {
		return inputError{err}
	}
	defer source.Close() //nolint:errcheck // what was only read may close as it likes
	if r, err = s.prepare(v, o, source, out, c, stop); err != nil {
		return err
	}
	began := time.Now()
	err = s.top.beside(source, stop, func() error { return r.run(context.WithoutCancel(ctx), c) }) // the source ends, and what it gave is shown to its end
	err = firstOf(err, out.flush())
	said, ended := s.kept.close()
	s.top.release(std.err)
	c.say(s.summary(source.Stats(), time.Since(began), said, o.spans.end()))
	return firstOf(err, writing(ended))
}

// checkWritten refuses to write packets to a file that they are read from, now or
// when its turn comes.
func (s *sniffing) checkWritten(o *options, stdin io.Reader) error {
	if s.kept.options.Path == "" {
		return nil
	}
	path := s.kept.options.File(1)
	if covers(s.follow, path) {
		return wrongUse("Name a file that it does not cover.", "--follow %s would read %s, which -w writes", s.follow, path)
	}
	inputs := o.inputs()
	if s.follow != "" {
		inputs = append(inputs, s.follow)
	}
	if f, ok := stdin.(*os.File); ok && len(o.files) > 0 && isFile(f, path) {
		return wrongUse("Name another file.", "%s is what standard input is read from", path)
	}
	return notAnInput(path, inputs)
}

// covers says whether a pattern names a path, however that is written.
func covers(pattern, path string) bool {
	all, err := filepath.Abs(pattern)
	if err != nil || pattern == "" {
		return false
	}
	one, err := filepath.Abs(path)
	matches, bad := filepath.Match(all, one)
	return err == nil && bad == nil && matches
}

// isFile says whether a regular file is that of a path.
func isFile(f *os.File, path string) bool {
	open, err := f.Stat()
	if err != nil || !open.Mode().IsRegular() {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(open, named)
}

// firstOf is the first error.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// open begins to capture, or to read what another program captures.
func (s *sniffing) open(ctx context.Context, o *options, std streams, c *console, idle func()) (liveSource, error) {
	if len(o.files) > 0 {
		return capture.Open(o.files, capture.Options{
			Warn: func(w capture.Warning) { c.warn(ctx, w.String()) }, Stdin: newPatient(ctx, std.in), Idle: idle,
		})
	}
	if s.follow != "" {
		return follow.Open(ctx, follow.Options{Pattern: s.follow, Warn: func(w capture.Warning) { c.warn(ctx, w.String()) }, Tell: c.tell, Idle: idle})
	}
	l := s.live
	l.Filter.Ports = o.ports
	l.Tell, l.Idle = c.tell, idle
	source, err := live.Open(l)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, source.Stop)
	return source, nil
}

// prepare makes everything that the run needs, and gives up the rights that it
// does not.
func (s *sniffing) prepare(v *view, o *options, source packetSource, out *output, c *console, stop func()) (*showing, error) {
	o.written = s.kept.only()
	r, err := s.top.prepare(v, func(v *view) (*showing, error) { return v.prepare(o, source, out) })
	if err != nil {
		return nil, err
	}
	if err := s.kept.open(source); err != nil {
		return nil, writing(err)
	}
	r.stages.taken = s.taker(c)
	r.stages.quiet = &quiet{passes: r.found.idle}
	s.monitored.follow(r, source, c)
	o.spans.begin(r, c.tell)
	if r.found != nil && s.kept.keeper != nil {
		r.found.heard = append(r.found.heard, s.kept.found)
	}
	if len(s.live.Interfaces) == 0 {
		return r, nil
	}
	told, err := s.giveUpRights(s.needs(o))
	if err != nil {
		return nil, err
	}
	c.say(fmt.Sprintf("capturing from %s; %s", source.Files()[0], told))
	s.checkReadable(o.tlsKeyLogs, c)
	return r, s.kept.mayGoOn(s.user)
}

// needs are what the run needs once it captures.
func (s *sniffing) needs(o *options) confine.Needs {
	n := confine.Needs{Network: o.spans.to != nil}
	folder := filepath.Dir(s.kept.options.Path)
	if s.kept.later() {
		n.Write = append(n.Write, folder)
	}
	if s.onScreen() {
		n.Devices = append(n.Devices, terminal)
	}
	if s.top.written != "" { // from which it exports
		n.Read, n.Write = append(n.Read, folder), append(n.Write, ".", folder)
	}
	for _, path := range o.tlsKeyLogs {
		n.Read = append(n.Read, filepath.Dir(path)) // which may be made anew
	}
	return n
}

// terminal is where keys come from if standard input is something else.
const terminal = "/dev/tty"

// checkReadable tells of files that cannot be read any more.
func (s *sniffing) checkReadable(paths []string, c *console) {
	for _, path := range paths {
		if err := mayRead(path); err != nil {
			c.tell(fmt.Sprintf("warning: %s cannot be read by %s, who this program is now: %v; choose another with --user", path, s.user, err))
		}
	}
}

// taker takes each packet, and ends the run after so many as the user wants.
func (s *sniffing) taker(c *console) func(*capture.Packet) bool {
	if s.count == 0 && s.kept.keeper == nil {
		return nil
	}
	return func(p *capture.Packet) bool {
		s.kept.add(p, c)
		return s.count == 0 || p.Number < uint64(s.count)
	}
}

// idle shows and writes everything, since nothing more is at hand.
func (s *sniffing) idle(r *showing, out *output, c *console) {
	if r == nil {
		return // the first packet is still to come
	}
	now := r.stages.quiet.idle()
	s.kept.idle(now, c) // before the screen says how late it is: frames are read from the file
	if i, ok := r.sink.(render.Idling); ok {
		_ = i.Idle(now) // the next write gives the same error
	}
	_ = out.flush() // as above
	s.monitored.idle()
	r.options.spans.idle()
}

// summary says what was captured and lost, and what became of it.
func (s *sniffing) summary(stats capture.Stats, took time.Duration, more ...string) string {
	f := &stats.Files[0]
	words := []string{fmt.Sprintf("%d packets (%d bytes) from %s in %s", f.Packets, f.Bytes, f.Name, took.Round(10*time.Millisecond))}
	var lost, dropped uint64
	for _, i := range f.Interfaces {
		lost, dropped = lost+i.OSDropped, dropped+i.Dropped
	}
	if len(f.Interfaces) > 0 {
		words = append(words, fmt.Sprintf("%d lost by the kernel, %d by the interface", lost, dropped))
	}
	words = append(words, more...)
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), "; ")
}
