package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"pulsar-dissect/decode/anatomy"
	"pulsar-dissect/render"
	"pulsar-dissect/render/tui"
)

// topping is the screen beside a live run; without a display it does nothing.
type topping struct {
	refresh time.Duration
	display *display // nil: rows are written as ever
	feed    *tui.Feed
	written string // the file that can be read again; empty: none
}

// onScreen says whether the face takes the whole terminal.
func (s *sniffing) onScreen() bool { return s.face == faceTop }

// openScreen makes the display, if the face wants one.
func (s *sniffing) openScreen(ctx context.Context, o *options, std streams) error {
	if !s.onScreen() {
		return nil
	}
	if err := checkScreen(std, "Use --face timeline, or another one, which write text; 'pulsar-dissect sniff --help' lists them."); err != nil {
		return err
	}
	s.top.display = newDisplay(ctx, o, s.top.refresh, std)
	s.top.written = s.kept.only()
	s.top.display.unread = s.top.written == ""
	return nil
}

// messages is where messages go.
func (t *topping) messages(w io.Writer) io.Writer {
	if t.display == nil {
		return w
	}
	return &t.display.said
}

// rows is where rows go.
func (t *topping) rows(w io.Writer) io.Writer {
	if t.display == nil {
		return w
	}
	return io.Discard
}

// release lets messages through: the screen is off.
func (t *topping) release(w io.Writer) {
	if t.display != nil {
		t.display.said.release(w)
	}
}

// prepare has the run made.
func (t *topping) prepare(v *view, make func(*view) (*showing, error)) (r *showing, err error) {
	if t.display == nil {
		return make(v)
	}
	r, t.feed, err = t.display.prepare(v, make)
	return r, err
}

// beside runs the stages beside the screen, which ends them, or stays when they
// end before.
func (t *topping) beside(source packetSource, stop context.CancelFunc, run func() error) error {
	if t.display == nil {
		return run()
	}
	shown := t.display.run(source.Files(), t.feed)
	shown.Live = true
	shown.Actions.Why = "only what is in a file can be read again: start sniff with -w FILE, without --rotate and --ring"
	shown.Actions.Frame = t.kept
	if t.written != "" {
		shown.Actions = t.display.rereading([]string{t.written})
	}
	shown.Actions.Filter = func(_ context.Context, expression string) (*tui.Feed, error) {
		only, err := t.display.listed(expression)
		if err == nil {
			t.feed.Only(only)
		}
		return nil, err
	}
	reading := t.display.begin(t.feed, stop, run)
	err := t.display.show(shown)
	if errors.Is(err, context.Canceled) {
		err = nil // as of any face: what was captured by then is shown, and summed up
	}
	return firstOf(err, reading.end())
}

// kept shows the bytes of a frame that are still in memory.
func (t *topping) kept(_ context.Context, at tui.Place, ro render.Options) (string, error) {
	b, ok := t.feed.Bytes(at)
	if !ok {
		return "", errors.New("the bytes of this frame are not in memory any more (--limit-tui-bytes): start sniff with -w FILE")
	}
	o := t.display.options
	ro.MaxPayload, ro.ShowSecrets = o.payload(), o.showSecrets
	a, err := render.MakeAnatomy(anatomy.Frame, b, ro, o.keys.loaded)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = render.WriteAnatomy(&text, ro, a, anatomy.Frame, "")
	return text.String(), err
}
