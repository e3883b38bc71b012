package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"pulsar-dissect/render"
	"pulsar-dissect/render/filter"
	"pulsar-dissect/render/tui"
	"pulsar-dissect/session"
)

// Times between two looks at what there is to show.
const (
	usualRefresh = time.Second
	leastRefresh = 200 * time.Millisecond
)

// display shows runs on the terminal. The stages run on a goroutine of their own.
type display struct {
	ctx     context.Context // until the user or a signal ends it
	quit    context.CancelCauseFunc
	options *options
	refresh time.Duration
	std     streams
	unread  bool // nothing can be read again: the bytes of the latest frames are kept
	said    teller
}

func newDisplay(ctx context.Context, o *options, refresh time.Duration, std streams) *display {
	s := &display{options: o, refresh: max(refresh, leastRefresh), std: std}
	s.ctx, s.quit = context.WithCancelCause(ctx)
	return s
}

// checkScreen tells why nothing could be shown, and what to use instead.
func checkScreen(std streams, instead string) error {
	switch {
	case !isTerminal(std.out):
		return wrongUse(instead, "standard output is no terminal, which the tables are shown on")
	case os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "" && runtime.GOOS != "windows":
		return wrongUse(instead, "the terminal cannot place text, says TERM=%s", os.Getenv("TERM"))
	case isTerminal(std.in):
		return nil
	}
	in, out, err := tea.OpenTTY()
	if err != nil {
		return wrongUse(instead, "there is no terminal to take keys from: %w", err)
	}
	return errors.Join(in.Close(), out.Close())
}

// crash is a panic of the stages, told once the terminal is as it was.
type crash struct {
	what  any
	stack []byte
}

func (c crash) Error() string { return fmt.Sprintf("%v\n\n%s", c.what, c.stack) }

// reading is a run of the stages whose events a feed takes.
type reading struct {
	feed *tui.Feed
	stop context.CancelFunc
	over chan error
}

// prepare has a run made whose face is a feed.
func (s *display) prepare(v *view, make func(*view) (*showing, error)) (*showing, *tui.Feed, error) {
	var feed *tui.Feed
	fed := *v
	fed.sink = func(_ io.Writer, o render.Options) render.Sink {
		feed = tui.NewFeed(tui.Options{Limits: s.options.limits.tui, Stats: o.Limits.Stats, Frames: s.unread, Every: s.refresh / 2, Start: o.Start})
		return feed
	}
	r, err := make(&fed)
	if err != nil {
		return nil, nil, err
	}
	if r.found != nil {
		feed.Follow(r.found.engine.Dispatch())
	}
	s.said.to(feed)
	return r, feed, nil
}

// begin runs the stages. stop has them end early.
func (s *display) begin(feed *tui.Feed, stop context.CancelFunc, run func() error) *reading {
	r := &reading{feed: feed, stop: stop, over: make(chan error, 1)}
	go func() {
		defer func() {
			if what := recover(); what != nil {
				s.quit(crash{what, debug.Stack()})
			}
			close(r.over)
		}()
		r.over <- run()
	}()
	return r
}

// end ends the stages, and gives the error that they ended with of themselves.
func (r *reading) end() error {
	r.stop()
	if err := <-r.over; !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// successive are runs one after another, of which one goes on.
type successive struct {
	mu  sync.Mutex
	now *reading
}

// next ends the run that goes on and begins another. What was wrong with the
// input will be told by that again.
func (x *successive) next(begin func() (*reading, error)) (*tui.Feed, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	_ = x.now.end()
	another, err := begin()
	if err != nil {
		return nil, err
	}
	x.now = another
	return another.feed, nil
}

// end ends the run that goes on.
func (x *successive) end() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.now.end()
}

// run says what the screen shows.
func (s *display) run(files []string, feed *tui.Feed) tui.Run {
	name := filepath.Base(files[0])
	if len(files) > 1 {
		name = fmt.Sprintf("%s and %d more", name, len(files)-1)
	}
	return tui.Run{Name: name, Feed: feed, Refresh: s.refresh, Color: s.options.colored(true)}
}

// show shows a run until the user has seen enough. The terminal is as it was
// then, whatever has happened.
func (s *display) show(run tui.Run) error {
	given := []tea.ProgramOption{tea.WithContext(s.ctx), tea.WithoutSignalHandler(), tea.WithOutput(s.std.out)}
	if isTerminal(s.std.in) {
		given = append(given, tea.WithInput(s.std.in))
	}
	_, err := tea.NewProgram(tui.New(run), given...).Run()
	if c := (crash{}); errors.As(context.Cause(s.ctx), &c) {
		panic(c)
	}
	if ended := s.ctx.Err(); ended != nil {
		return ended
	}
	return writing(err)
}

// listed says which events an expression lets through, nil: all.
func (s *display) listed(expression string) (func(*session.Event) bool, error) {
	if expression == "" {
		return nil, nil
	}
	f := &filter.Filter{}
	if err := f.Add("filter", expression, false); err != nil {
		return nil, err
	}
	ro := render.Options{Format: render.JSONLines, MaxPayload: s.options.payload(), ShowSecrets: s.options.showSecrets}
	f.Encode(render.NewJSON(ro.JSON()).Append)
	return f.Match, nil
}

// teller takes messages while the screen is on, and gives them to a feed; they go
// to standard error when it is off again.
type teller struct {
	mu   sync.Mutex
	feed *tui.Feed
	kept bytes.Buffer
	over io.Writer // nil while the screen is on
}

// keptMessages is how many bytes of messages are kept for standard error.
const keptMessages = 64 << 10

func (t *teller) to(f *tui.Feed) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.feed = f
}

// Write takes a message.
func (t *teller) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over != nil {
		return t.over.Write(text)
	}
	if t.feed != nil {
		t.feed.Tell(strings.TrimPrefix(strings.TrimSpace(string(text)), "pulsar-dissect: "))
	}
	if t.kept.Len()+len(text) <= keptMessages {
		t.kept.Write(text)
	}
	return len(text), nil
}

// release lets messages through, first those that have come.
func (t *teller) release(w io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over == nil {
		t.over = w
		_, _ = t.kept.WriteTo(w) // there is nobody to tell
	}
}
