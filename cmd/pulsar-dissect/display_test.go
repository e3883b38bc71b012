package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"pulsar-dissect/render/tui"
)

// A panic of the stages ends the screen, which tells of it once it is off.
func TestCrash(t *testing.T) {
	d := newDisplay(context.Background(), &options{}, 0, streams{strings.NewReader(""), io.Discard, io.Discard})
	feed := tui.NewFeed(tui.Options{})
	r := d.begin(feed, func() {}, func() error { panic("of the stages") })
	if err := r.end(); err != nil {
		t.Error(err)
	}
	defer func() {
		if c, ok := recover().(crash); !ok || !strings.Contains(c.Error(), "of the stages") || !strings.Contains(c.Error(), "display_test.go") {
			t.Errorf("it is told as %v", c)
		}
	}()
	t.Error("the screen was shown:", d.show(tui.Run{Feed: feed, Refresh: usualRefresh}))
}

// An error of the stages is that of the command, unless the user ended them.
func TestReadingEnds(t *testing.T) {
	d := newDisplay(context.Background(), &options{}, 0, streams{})
	for _, c := range []struct{ gives, want error }{{nil, nil}, {errReported, errReported}, {context.Canceled, nil}} {
		stopped := false
		r := d.begin(nil, func() { stopped = true }, func() error { return c.gives })
		if err := r.end(); !errors.Is(err, c.want) || !stopped {
			t.Errorf("%v ends with %v, stopped: %v", c.gives, err, stopped)
		}
	}
}

// Messages go to the feed while the screen is on, and to standard error then.
func TestTeller(t *testing.T) {
	var out bytes.Buffer
	var said teller
	feed := tui.NewFeed(tui.Options{})
	said.to(feed)
	c := newConsole(&said)
	c.tell("one")
	if out.Len() > 0 {
		t.Errorf("written while the screen is on: %s", out.String())
	}
	said.release(&out)
	said.release(&out)
	c.say("two")
	if out.String() != "pulsar-dissect: one\ntwo\n" {
		t.Errorf("%q", out.String())
	}
	if err := feed.Close(nil); err != nil {
		t.Fatal(err)
	}
	if s := feed.Latest(); len(s.News) != 1 || s.News[0] != "one" {
		t.Errorf("news %q", s.News)
	}
}
