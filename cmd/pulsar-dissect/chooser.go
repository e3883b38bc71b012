package main

import (
	"pulsar-dissect/render"
	"pulsar-dissect/render/filter"
	"pulsar-dissect/session"
)

type kindSet [session.ConnectionEnd + 1]bool

func setOf(kinds []session.Kind) (s kindSet) {
	for _, k := range kinds {
		s[k] = true
	}
	return s
}

// chooser gives a face the events that a user wants to see.
type chooser struct {
	sink    render.Sink
	rows    kindSet
	counted kindSet
	context func(e *session.Event, behind bool) bool // nil: nothing but rows
	behind  bool                                     // the row before was let through
	filter  *filter.Filter                           // nil: all rows
	also    func(e *session.Event) bool              // nil: nothing besides
	first   int                                      // rows to show, 0: all
	shown   int                                      // rows of the kinds that are counted
	waited  int                                      // events since the last of them
	// carried are connections of which something was shown, where those are to
	// be shown as well; nil where they are rows like others.
	carried map[*session.Conn]bool
}

// patience is how many events a face that holds rows back may wait for, after
// the last row that was asked for.
const patience = 1000

// take takes the next event and tells whether more are wanted.
func (c *chooser) take(e *session.Event) (more bool, err error) {
	switch {
	case c.context != nil && c.context(e, c.behind):
		err = c.sink.Event(e)
	case c.rows[e.Kind]:
		if c.behind = c.wanted(e); c.behind {
			err = c.sink.Event(e)
		}
	}
	return err == nil && !c.done(), err
}

// wanted tells whether a row is to be shown.
func (c *chooser) wanted(e *session.Event) bool {
	if c.carried != nil && e.Kind == session.ConnectionEnd {
		carried := c.carried[e.Conn]
		delete(c.carried, e.Conn)
		return carried || c.matches(e) && !c.full()
	}
	if c.full() || !c.matches(e) {
		return false
	}
	if c.counted[e.Kind] {
		c.shown++
	}
	if c.carried != nil {
		c.carried[e.Conn] = true
	}
	return true
}

func (c *chooser) matches(e *session.Event) bool {
	return (c.also == nil || c.also(e)) && (c.filter == nil || c.filter.Match(e))
}

// full says whether as many rows were shown as were asked for.
func (c *chooser) full() bool { return c.first > 0 && c.shown >= c.first }

// done says whether reading on would show nothing new.
func (c *chooser) done() bool {
	if !c.full() || c.carried != nil {
		return false
	}
	c.waited++
	w, ok := c.sink.(render.Waiting)
	return !ok || !w.Waiting() || c.waited > patience
}
