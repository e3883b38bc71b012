package main

import (
	"io"

	"github.com/spf13/cobra"

	"pulsar-dissect/render"
	"pulsar-dissect/session"
)

// view is a subcommand that shows the events of captures.
type view struct {
	name, alias, short, long, example string

	formats []render.Format // the first is the default
	rows    []session.Kind  // what the form for people shows; filters choose among these
	records []session.Kind  // what JSON shows
	summary bool            // JSON ends with a summary, of events of all kinds
	needs   needs
	// context tells which events the form for people needs besides, whatever
	// the filters say. behind says whether the row before was let through.
	context func(e *session.Event, behind bool) bool
	// counted is the kind of which --first takes so many; the rest is shown as
	// it comes. nil: all rows.
	counted []session.Kind
	// sink makes the form for people.
	sink func(io.Writer, render.Options) render.Sink
}

// needs says what has to be found out for a view.
type needs struct {
	messages bool // entries have to be taken apart
	sums     bool // payloads have to be summed up, for JSON
}

var allKinds = []session.Kind{
	session.FrameSeen, session.MessageSeen, session.ExchangeSeen, session.PermitsChanged, session.ChunkedMessage,
	session.GapSeen, session.BytesSkipped, session.ConflictSeen, session.ProxySeen, session.BookieSeen, session.ConnectionEnd,
}

// forPeople are the formats of a view that has a form for people.
var forPeople = []render.Format{render.Table, render.Compact, render.JSONLines}

// command makes the subcommand.
func (v *view) command() *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:                   v.name + " [FLAGS] FILE...",
		Short:                 v.short,
		Long:                  v.long,
		Example:               v.example,
		DisableFlagsInUseLine: true,
		RunE: func(c *cobra.Command, args []string) error {
			o.files = args
			return v.run(c.Context(), o, streams{c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()})
		},
	}
	if v.alias != "" {
		c.Aliases = []string{v.alias}
	}
	o.addTo(c, v.formats)
	return c
}

// newSink makes the face in the format that is asked for.
func (v *view) newSink(w io.Writer, o render.Options) render.Sink {
	if o.Format != render.JSONLines {
		return v.sink(w, o)
	}
	records := render.NewRecords(w, o, v.records...)
	if v.summary {
		return records.WithSummary()
	}
	return records
}

// rowsFor lists the kinds of events that a format is about.
func (v *view) rowsFor(f render.Format) []session.Kind {
	switch {
	case f != render.JSONLines:
		return v.rows
	case v.summary:
		return allKinds
	}
	return v.records
}
