package main

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"pulsar-dissect/capture"
	"pulsar-dissect/render"
	"pulsar-dissect/session"
)

// diffView is what both runs of a comparison have of a view.
var diffView = view{
	name: "diff",
	long: `Compares two captures, that of a good day with that of a bad one: findings that are
new or gone, errors, latencies, how connections ended, versions, codecs, topics and
subscriptions, rates of messages and commands. Shows what differs enough to matter,
what matters most first; --all shows everything. What the captures themselves lack
is said at the top. Numbers of five digits and more, UUIDs, ports of clients and
generated names of producers and consumers count as the same.

Each of A and B is a file, a pattern in quotes, or several with commas.`,
	short: "How a capture differs from an earlier one",
	example: `  pulsar-dissect diff yesterday.pcap today.pcap
  pulsar-dissect diff 'good/*.pcap.gz' 'bad/*.pcap.gz'
  pulsar-dissect diff --topic orders --all yesterday.pcap today.pcap
  pulsar-dissect diff --fail-on warning before.pcap after.pcap
  pulsar-dissect diff -o json before.pcap after.pcap | jq '.findings[] | select(.change == "new")'`,
	formats: forPeople,
	rows:    allKinds,
	records: allKinds,
	counted: []session.Kind{session.FrameSeen},
	needs:   needs{findings: true, messages: true},
	without: append([]string{"severity", "explain", "list-rules", "wall-clock"}, withoutRows...),
	flags:   findingFlags,
}

// diffCommand makes the subcommand.
func diffCommand() *cobra.Command {
	o, all := &options{}, false
	c := &cobra.Command{
		Use:                   diffView.name + " [FLAGS] A B",
		Short:                 diffView.short,
		Long:                  diffView.long,
		Example:               diffView.example,
		DisableFlagsInUseLine: true,
		RunE: func(c *cobra.Command, args []string) error {
			return compare(c.Context(), o, args, all, streams{c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()})
		},
	}
	o.addTo(c, &diffView)
	set := newFlagSet()
	set.BoolVar(&all, "all", false, "also what does not differ")
	addFlags(c, flagGroup{flagsOutput, set}, nil)
	return c
}

// compare shows how two captures differ.
func compare(ctx context.Context, o *options, args []string, all bool, s streams) error {
	if len(args) != 2 {
		return wrongUse("Name two: pulsar-dissect diff yesterday.pcap today.pcap. Several files of a side go with commas.",
			"diff compares two captures, but is given %d", len(args))
	}
	if err := o.check(); err != nil {
		return err
	}
	c := newConsole(s.err)
	defer c.hide()
	var sides [2]*render.Side
	failed := false
	for i, arg := range args {
		side, broken, err := countSide(ctx, o, filesOf(arg), s, c)
		if err != nil {
			return err
		}
		sides[i], failed = side, failed || broken
	}
	c.hide()
	d := render.Compare(sides[0], sides[1])
	if err := o.write(d, all, s); err != nil {
		return err
	}
	switch {
	case failed:
		return errReported
	case o.looked.failOn.set && d.HasNew(o.looked.failOn.of):
		return errFound
	}
	return nil
}

func (o *options) write(d *render.Diff, all bool, s streams) error {
	out := newOutput(s.out, isTerminal(s.out))
	defer out.stop()
	if err := d.Write(out, o.rendering(nil, out), all); err != nil {
		return writing(err)
	}
	return out.flush()
}

// filesOf takes an argument apart at commas, unless it is the name of a file.
func filesOf(arg string) []string {
	if _, err := os.Lstat(arg); err == nil {
		return []string{arg}
	}
	return strings.Split(arg, ",")
}

// countSide reads one of the captures. broken says that it could not be read to
// its end, or that --fail-on has nothing in it to judge.
func countSide(ctx context.Context, o *options, files []string, s streams, c *console) (side *render.Side, broken bool, err error) {
	o.files = files
	source, err := capture.Open(files, capture.Options{
		Reorder:  o.reorder,
		Partial:  true,
		Warn:     func(w capture.Warning) { c.warn(ctx, w.String()) },
		Progress: diffView.progress(o, s, c),
		Stdin:    newPatient(ctx, s.in),
	})
	if err != nil {
		return nil, false, inputError{err}
	}
	defer source.Close()
	side = render.NewSide(source.Files(), o.limits.summary)
	broken, err = diffView.count(ctx, o, source, side, c)
	if err == nil {
		err = ctx.Err()
	}
	return side, broken, err
}

// count runs the stages for a face that writes nothing.
func (v *view) count(ctx context.Context, o *options, source *capture.Source, side *render.Side, c *console) (broken bool, err error) {
	ro := render.Options{Files: source.Files()}
	d, chosen := v.newDiagnosis(o, &ro, side), v.chooser(o, side)
	o.filter.Encode(render.NewJSON(ro.JSON()).Append)
	p, err := newPipeline(source, o, v.needs)
	if err != nil {
		return false, err
	}
	p.began = o.filter.Begin
	if broken, err = feed(ctx, p, chosen, d, c); err != nil {
		return broken, err
	}
	if err := d.finish(); err != nil {
		return broken, err
	}
	c.keyLogs(p)
	broken = p.seen.judgedNothing(o.looked.failOn, c) || broken
	return broken, side.Close(p.end())
}
