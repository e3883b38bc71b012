package main

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pulsar-dissect/capture"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/render"
	"pulsar-dissect/render/tui"
	"pulsar-dissect/session"
)

// tuiView is what the screen needs of a run.
var tuiView = view{
	name:  "tui",
	short: "Tables to look through on the terminal, down to the bytes of a frame",
	long: `Shows captures on the terminal: topics, consumers, producers, connections, findings
and events, each as a table that can be sorted and searched. Enter opens what is
chosen: of a connection its producers and consumers, of these their frames, of a
frame its bytes and what they mean. Esc goes back, ? lists the keys, q ends it.
Rates are those of the last minute, percentiles those of the latest 256 SENDs. What
was read is shown while the rest is still being read. "pulsar-dissect sniff --face top" shows the same of what is
captured just now.`,
	example: `  pulsar-dissect tui capture.pcap
  pulsar-dissect tui --topic orders rotated-*.pcap.gz
  pulsar-dissect sniff -i any --face top -w evidence.pcapng`,
	formats: []render.Format{render.Table},
	rows:    allKinds,
	counted: []session.Kind{session.FrameSeen},
	needs:   needs{findings: true, verdicts: true},
	without: []string{"first", "last", "output", "max-payload", "wall-clock", "no-sha256", "no-progress", "fail-on", "explain", "list-rules"},
	rules:   func() []*diagnose.Rule { return diagnose.Rules },
}

// tuiOptions are what the flags of tui set.
type tuiOptions struct {
	*options
	refresh time.Duration
}

func tuiCommand() *cobra.Command {
	t := &tuiOptions{options: &options{live: true}} // findings are wanted as they are found
	v := tuiView
	v.flags = func(o *options) []flagGroup {
		return append(findingFlags(o), flagGroup{flagsRules, o.skipFlag()}, flagGroup{flagsOutput, refreshFlag(&t.refresh)})
	}
	c := &cobra.Command{
		Use: v.name + " [FLAGS] FILE...", Short: v.short, Long: v.long, Example: v.example, DisableFlagsInUseLine: true,
		RunE: func(c *cobra.Command, args []string) error {
			t.files = args
			return t.run(c.Context(), &v, streams{c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()})
		},
	}
	t.addTo(c, &v)
	return c
}

// refreshFlag says how often the screen changes.
func refreshFlag(to *time.Duration) *pflag.FlagSet {
	set := newFlagSet()
	*to = usualRefresh
	set.Var(span{to}, "refresh", "time between two changes of the screen, 200ms at least")
	return set
}

// run reads captures and shows them, until the user has seen enough.
func (t *tuiOptions) run(ctx context.Context, v *view, std streams) (err error) {
	if err := firstOf(v.check(t.options), t.checkFiles(), checkScreen(std, "Use consumers, stats, diagnose or timeline, which write text; 'pulsar-dissect --help' lists them.")); err != nil {
		return err
	}
	s := newDisplay(ctx, t.options, t.refresh, std)
	defer s.said.release(std.err)
	first, err := t.read(s, v, nil)
	if err != nil {
		return err
	}
	runs := &successive{now: first}
	shown := s.run(t.files, first.feed)
	shown.Actions = s.rereading(t.files)
	shown.Actions.Filter = func(_ context.Context, expression string) (*tui.Feed, error) {
		only, err := s.listed(expression)
		if err != nil {
			return nil, err
		}
		return runs.next(func() (*reading, error) { return t.read(s, v, only) })
	}
	err = s.show(shown)
	return firstOf(err, runs.end())
}

// checkFiles refuses what cannot be read several times.
func (t *tuiOptions) checkFiles() error {
	if slices.Contains(t.files, stdinPath) {
		return wrongUse("pulsar-dissect sniff --face top - shows what comes on standard input.", "tui reads its input several times, which standard input does not allow")
	}
	return nil
}

// read begins to read the captures. only says which events are listed; nil: all.
func (t *tuiOptions) read(s *display, v *view, only func(*session.Event) bool) (*reading, error) {
	ctx, stop := context.WithCancel(s.ctx)
	c := newConsole(&s.said)
	source, err := capture.Open(t.files, capture.Options{Reorder: t.reorder, Partial: true, Warn: func(w capture.Warning) { c.warn(ctx, w.String()) }})
	if err != nil {
		stop()
		return nil, inputError{err}
	}
	out := newOutput(io.Discard, true)
	r, feed, err := s.prepare(v, func(v *view) (*showing, error) { return v.prepare(t.options, source, out) })
	if err != nil {
		stop()
		return nil, err
	}
	feed.Only(only)
	return s.begin(feed, stop, func() error {
		defer source.Close()
		defer out.stop()
		return r.run(ctx, c)
	}), nil
}
