//go:build linux

package live

import (
	"errors"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"pulsar-dissect/capture"
)

// Source captures packets.
type Source struct {
	options Options
	watched watched
	counts  counts

	packets int        // the packet socket
	news    int        // tells of interfaces
	wake    int        // eventfd that is written to when capture is to end
	closing sync.Mutex // of wake, which Stop may write to meanwhile
	ring    *ring
	frame   frame

	given   bool         // packets since the last time that Idle was called
	until   atomic.Int64 // packets after this time are not wanted, ns; 0: all
	failure error        // why no more packets can come
}

// Open begins to capture. Packets that come between Open and the loop over
// Packets wait in the ring.
func Open(o Options) (*Source, error) {
	s := &Source{options: o.withDefaults(), packets: -1, news: -1, wake: -1}
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Source) open() (err error) {
	if err := s.watched.find(s.options.Interfaces); err != nil {
		return err
	}
	if s.packets, err = openSocket(); err != nil {
		return explain(err, s.options.Interfaces)
	}
	if s.news, err = news(); err != nil {
		return err
	}
	if s.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return err
	}
	if err := prepare(s.packets); err != nil {
		return err
	}
	if s.ring, err = newRing(s.packets, s.options.Buffer); err != nil {
		return explainRing(err, s.options.Buffer)
	}
	s.counts.begin(s.Files()[0], &s.watched)
	return s.listen()
}

// listen lets packets of the watched interfaces in; again when one has come
// back with another index.
func (s *Source) listen() error {
	only := s.watched.indices()
	index := uint32(0)
	if len(only) == 1 {
		index, only = only[0], nil
	}
	program, err := s.options.Filter.compile(only, uint32(s.options.Snap))
	if err != nil {
		return err
	}
	if err := attach(s.packets, program); err != nil {
		return explainFilter(err, len(program))
	}
	if s.options.Promiscuous {
		for _, i := range s.watched.all() {
			if err := promiscuous(s.packets, i); err != nil {
				return err
			}
		}
	}
	return bind(s.packets, index)
}

// Files is the one name of what is captured.
func (s *Source) Files() []string { return []string{strings.Join(s.watched.names, ",")} }

// Secrets are none: only files carry some.
func (s *Source) Secrets() [][]byte { return nil }

// Stop ends the loop over Packets behind what came until now. It may be called
// from any goroutine, and again.
func (s *Source) Stop() {
	if s.until.CompareAndSwap(0, time.Now().UnixNano()) {
		s.closing.Lock() // the descriptor may be another file's by now
		defer s.closing.Unlock()
		if s.wake < 0 {
			return
		}
		_, _ = unix.Write(s.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // an eventfd takes it
	}
}

// Packets gives packets until Stop is called. An error means that none can come
// any more.
func (s *Source) Packets() iter.Seq2[capture.Packet, error] {
	return func(yield func(capture.Packet, error) bool) {
		defer s.count()
		var p capture.Packet
		for s.next(&p) {
			if !yield(p, nil) {
				return
			}
		}
		if s.failure != nil {
			yield(capture.Packet{}, s.failure)
		}
	}
}

func (s *Source) next(p *capture.Packet) bool {
	for !s.ring.next(&s.frame) {
		if !s.wait() {
			return false
		}
	}
	f := &s.frame
	p.Time = int64(f.seconds)*1e9 + int64(f.nanos)
	if until := s.until.Load(); until != 0 && p.Time > until {
		return false
	}
	s.given = true
	p.Link, p.Data, p.OrigLen = f.link, f.data, f.original
	s.counts.add(p, f, &s.watched)
	return true
}

// wait waits for packets, and handles what else comes. It tells false if none
// will come that are wanted.
func (s *Source) wait() bool {
	stopping := s.until.Load() != 0
	timeout := statsInterval
	if stopping {
		timeout = 2 * blockTimeout // then the kernel has closed the block that it was filling
	} else {
		s.idle()
	}
	fds := []unix.PollFd{
		{Fd: int32(s.packets), Events: unix.POLLIN}, {Fd: int32(s.news), Events: unix.POLLIN}, {Fd: int32(s.wake), Events: unix.POLLIN},
	}
	if stopping {
		fds = fds[:1]
	}
	if _, err := unix.Poll(fds, int(timeout.Milliseconds())); err != nil && err != unix.EINTR {
		s.failure = err
		return false
	}
	if fds[0].Revents&unix.POLLERR != 0 {
		_, _ = unix.GetsockoptInt(s.packets, unix.SOL_SOCKET, unix.SO_ERROR) // clears it: that an interface is down is told as news
	}
	if stopping {
		return s.ring.ready()
	}
	if fds[1].Revents != 0 {
		s.failure = s.readNews()
	}
	return s.failure == nil
}

// idle tells that nothing is there, and looks at the kernel's counts.
func (s *Source) idle() {
	due := s.counts.due()
	if due {
		s.count()
	}
	if s.given || due {
		s.given = false
		s.options.Idle()
	}
}

// count reads the kernel's counts and tells of losses.
func (s *Source) count() {
	if s.packets < 0 {
		return
	}
	if news := s.counts.read(s.packets, &s.watched); news != "" {
		s.options.Tell(news)
	}
}

// readNews reads what the kernel tells of interfaces.
func (s *Source) readNews() error {
	b := make([]byte, maxNewsSize)
	n, _, err := unix.Recvfrom(s.news, b, 0)
	if err != nil {
		return nil // some news were lost: the next ones tell as much
	}
	moved := false
	err = eachLink(b[:n], func(i networkInterface, gone bool) {
		told, again := s.watched.hear(i, gone)
		if told != "" {
			s.options.Tell(told)
		}
		moved = moved || again
	})
	switch {
	case err != nil:
		return nil // as above
	case s.watched.none():
		return errors.New(s.Files()[0] + " is gone: there is nothing left to capture from")
	case moved:
		return s.listen()
	}
	return nil
}

// Stats tells what has been captured, and lost, so far.
func (s *Source) Stats() capture.Stats { return s.counts.stats() }

// Interface is the name of the interface of a packet (Packet.Interface).
func (s *Source) Interface(id uint32) string { return s.counts.name(id) }

// Close ends capture.
func (s *Source) Close() error {
	s.closing.Lock()
	defer s.closing.Unlock()
	var errs []error
	if s.ring != nil {
		errs = append(errs, s.ring.close())
		s.ring = nil
	}
	for _, fd := range []*int{&s.packets, &s.news, &s.wake} {
		if *fd >= 0 {
			errs = append(errs, unix.Close(*fd))
			*fd = -1
		}
	}
	return errors.Join(errs...)
}
