package follow

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"time"

	"pulsar-dissect/capture"
)

// interval is how often files are looked at while nothing comes.
const interval = 100 * time.Millisecond

// Options say what to read.
type Options struct {
	Pattern string // of paths (path/filepath.Match)
	// Warn takes what does not end reading, Tell news in words.
	Warn func(capture.Warning)
	Tell func(news string)
	// Idle is called from within the loop over Packets when nothing more is there
	// for now, and every second or more often while nothing comes.
	Idle func()
}

// Source reads the files.
type Source struct {
	ctx     context.Context
	options Options
	turns   turns
	stats   capture.FileStats
	secrets [][]byte
	current *capture.Source // nil between files
}

// Open checks the pattern. Files may come later. The end of ctx ends the loop over
// Packets behind what has been written by then.
func Open(ctx context.Context, o Options) (*Source, error) {
	s := &Source{ctx: ctx, options: o, turns: turns{pattern: o.Pattern}, stats: capture.FileStats{Name: o.Pattern}}
	next, err := s.turns.next()
	if err == nil && next == "" {
		o.Tell("waiting for a file: there is no " + o.Pattern + " yet")
	}
	return s, err
}

// Files is the pattern: files that are still to come have no names yet.
func (s *Source) Files() []string { return []string{s.options.Pattern} }

// Secrets are the TLS key logs in the files read so far.
func (s *Source) Secrets() [][]byte {
	if s.current == nil {
		return s.secrets
	}
	return append(s.secrets[:len(s.secrets):len(s.secrets)], s.current.Secrets()...)
}

// Stats counts the packets of all files together.
func (s *Source) Stats() capture.Stats { return capture.Stats{Files: []capture.FileStats{s.stats}} }

// Close ends reading.
func (s *Source) Close() error {
	if s.current == nil {
		return nil
	}
	return s.current.Close()
}

// Packets gives the packets of one file after another. An error means that a file
// could not be read to its end; the next one follows all the same.
func (s *Source) Packets() iter.Seq2[capture.Packet, error] {
	return func(yield func(capture.Packet, error) bool) {
		for {
			path, err := s.await()
			if err != nil {
				yield(capture.Packet{}, err)
				return
			}
			if path == "" || !s.file(path, yield) {
				return
			}
		}
	}
}

// await waits for the next file; "" where none is wanted any more.
func (s *Source) await() (string, error) {
	for {
		path, err := s.turns.next()
		if path != "" || err != nil {
			return path, err
		}
		s.options.Idle()
		select {
		case <-s.ctx.Done():
			return "", nil
		case <-time.After(interval):
		}
	}
}

// file gives the packets of a file, and tells whether more are wanted.
func (s *Source) file(path string, yield func(capture.Packet, error) bool) bool {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return true // it was there just now
	}
	if err != nil {
		return yield(capture.Packet{}, err)
	}
	turn, err := s.turns.take(file)
	if err != nil {
		return yield(capture.Packet{}, err)
	}
	defer file.Close()
	s.current, err = capture.Open([]string{"-"}, capture.Options{Stdin: &growing{s.ctx, file, turn}, StdinName: path, Warn: s.options.Warn, Idle: s.options.Idle})
	if err != nil {
		s.current = nil
		return s.ctx.Err() != nil || yield(capture.Packet{}, err)
	}
	defer s.done()
	for p, err := range s.current.Packets() {
		if err == nil {
			p.Number = s.stats.Packets + 1
			s.stats.Count(&p)
		}
		if !yield(p, err) {
			return false
		}
	}
	return true
}

// done closes the file at hand.
func (s *Source) done() {
	s.secrets = append(s.secrets, s.current.Secrets()...)
	_ = s.current.Close() // what was only read may close as it likes
	s.current = nil
}

// growing is a file that ends when another one is to be read.
type growing struct {
	ctx  context.Context
	file *os.File
	turn *turn
}

// Read waits at the end of the file. Another file may have come between two
// looks, so what was written last to this one is read after that.
func (g *growing) Read(b []byte) (int, error) {
	over := false
	for {
		n, err := g.file.Read(b)
		g.turn.read.Add(int64(n))
		if n > 0 || err != io.EOF || over {
			return n, err
		}
		if over = g.ctx.Err() != nil || g.turn.over(); over {
			continue
		}
		select {
		case <-g.ctx.Done():
		case <-time.After(interval):
		}
	}
}
