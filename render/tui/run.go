package tui

import (
	"context"
	"time"

	"pulsar-dissect/render"
	"pulsar-dissect/session/trace"
)

// Run is what the screen shows, and what can be done beyond looking at it.
type Run struct {
	Name    string // of the input
	Feed    *Feed
	Live    bool          // more comes while somebody looks
	Refresh time.Duration // between two looks at the feed
	Color   bool
	Actions Actions
}

// Actions read again what is not kept, or write files. They are called on a
// goroutine of their own, and end early when their context does. One that is nil
// cannot be done, for the reason in Why.
type Actions struct {
	Why    string
	Frame  func(ctx context.Context, at Place, o render.Options) (string, error)         // the bytes of a frame, and what they mean
	Follow func(ctx context.Context, want trace.Want, o render.Options) (string, error)  // what happened to a message
	Export func(ctx context.Context, places map[Place]bool, path string) (string, error) // writes frames to a file, and says what was written
	// Filter lists from now on only what an expression lets through; empty: all.
	// Where all is read again for that, there is another feed.
	Filter func(ctx context.Context, expression string) (*Feed, error)
}
