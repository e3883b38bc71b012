package main

import (
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pulsar-dissect/diagnose"
	"pulsar-dissect/reassembly"
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
	// also is what rows have to meet besides filters; nil: nothing. extents are told
	// where bytes came from; nil where nobody asks.
	also    func(e *session.Event) bool
	extents *reassembly.Extents
	// counted is the kind of which --first takes so many; the rest is shown as
	// it comes. nil: all rows.
	counted []session.Kind
	// sink makes the form for people; reports those for tools.
	sink    func(io.Writer, render.Options) render.Sink
	reports map[render.Format]func(io.Writer, render.Options, render.Report) render.Sink

	flags   func(*options) []flagGroup // of its own; nil: none
	without []string                   // flags that make no sense here
	rules   func() []*diagnose.Rule    // looked for unless the user names others; nil: all
	failOn  severity                   // unless the user says another
}

// flagGroup are flags under a title.
type flagGroup struct {
	title string
	flags *pflag.FlagSet
}

// needs says what has to be found out for a view.
type needs struct {
	messages bool // entries have to be taken apart
	values   bool // of messages that a schema reads, no others
	sums     bool // payloads have to be summed up, for JSON
	findings bool // rules have to be run
	verdicts bool // consumers have to be judged
}

var allKinds = []session.Kind{
	session.FrameSeen, session.MessageSeen, session.ExchangeSeen, session.PermitsChanged, session.ChunkedMessage,
	session.GapSeen, session.BytesSkipped, session.ConflictSeen, session.ProxySeen, session.BookieSeen,
	session.TxnSeen, session.ConnectionEnd,
}

// forPeople are the formats of a view that has a form for people.
var forPeople = []render.Format{render.Table, render.Compact, render.JSONLines}

// forAll are the formats of a listing, which other programs can read as a table.
var forAll = append(forPeople[:len(forPeople):len(forPeople)], render.CSV, render.TSV)

// command makes the subcommand.
func (v *view) command() *cobra.Command {
	o := &options{looked: looked{failOn: v.failOn}}
	c := &cobra.Command{
		Use:                   v.name + " [FLAGS] FILE...",
		Short:                 v.short,
		Long:                  v.long,
		Example:               v.example,
		DisableFlagsInUseLine: true,
		RunE: func(c *cobra.Command, args []string) error {
			o.files = args
			if told, err := v.tellRules(o, c.OutOrStdout()); told || err != nil {
				return err
			}
			return v.run(c.Context(), o, streams{c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()})
		},
	}
	if v.alias != "" {
		c.Aliases = []string{v.alias}
	}
	o.addTo(c, v)
	return c
}

// tellRules tells of rules where that was asked for in place of findings.
func (v *view) tellRules(o *options, w io.Writer) (told bool, err error) {
	if v.rules == nil {
		return false, nil
	}
	return o.tellRules(w, v.rulesFor(o))
}

// newSink makes the face in the format that is asked for.
func (v *view) newSink(w io.Writer, o render.Options, flags *options) render.Sink {
	if report := v.reports[o.Format]; report != nil {
		return report(w, o, render.Report{Rules: v.rulesFor(flags), FailOn: flags.looked.failOn.of, Version: programVersion()})
	}
	if o.Format.IsCells() && v.counted == nil {
		return render.NewCells(w, o, v.name, v.records...)
	}
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
	case !f.IsRecords():
		return v.rows
	case v.summary:
		return allKinds
	}
	return v.records
}
