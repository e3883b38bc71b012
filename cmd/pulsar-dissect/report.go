package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"pulsar-dissect/render"
	"pulsar-dissect/render/report"
	"pulsar-dissect/session"
)

// reportView is what a report has of a view.
var reportView = view{
	name:  "report",
	short: "A page for the browser, in one file",
	long: `Writes one HTML file with everything: overview, findings with their evidence, the
sequence diagram of a connection or of a message, latencies and permits over time,
throughput by topic, the life of each connection, and all frames with their
details. It needs no network and no other file, so it can be sent to somebody.
Lists and diagrams have the first --max-events events; counts and charts are of
all. With filters: of what they let through.`,
	example: `  pulsar-dissect report -o report.html capture.pcap
  pulsar-dissect report -o orders.html --topic orders dump*.gz
  pulsar-dissect report -o late.html --since 10:15:00 --max-payload 0 capture.pcap`,
	formats: []render.Format{render.JSONLines},
	rows:    allKinds,
	records: allKinds,
	summary: true,
	needs:   needs{messages: true, sums: true, findings: true, verdicts: true},
	flags:   func(o *options) []flagGroup { return []flagGroup{{flagsRules, o.skipFlag()}} },
	counted: []session.Kind{session.FrameSeen},
	without: []string{"output", "color", "wall-clock", "last"},
}

// reportPayload is how many bytes of a payload a report has unless
// --max-payload says otherwise.
const reportPayload = 256

// reportCommand makes the subcommand.
func reportCommand() *cobra.Command {
	o, limits, path := &options{}, report.Limits{}, ""
	v := reportView
	v.reports = map[render.Format]func(io.Writer, render.Options, render.Report) render.Sink{
		render.JSONLines: func(w io.Writer, ro render.Options, r render.Report) render.Sink {
			return report.New(w, ro, limits, r.Version)
		},
	}
	c := &cobra.Command{
		Use:                   v.name + " [FLAGS] -o FILE.html FILE...",
		Short:                 v.short,
		Long:                  v.long,
		Example:               v.example,
		DisableFlagsInUseLine: true,
		RunE: func(c *cobra.Command, args []string) error {
			o.files = args
			return v.writeFile(c.Context(), o, path, streams{c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()})
		},
	}
	o.addTo(c, &v)
	o.maxPayload = reportPayload
	c.Flags().Lookup("max-payload").DefValue = strconv.Itoa(reportPayload)
	set := newFlagSet()
	set.StringVarP(&path, "output", "o", "", "`FILE` to write; - for standard output")
	limits.Events = report.DefaultEvents
	set.Var(number{&limits.Events}, "max-events", "events in lists and diagrams at most, the first ones; a browser holds them all in memory")
	addFlags(c, flagGroup{flagsOutput, set}, nil)
	return c
}

// writeFile runs a view whose output goes to a file. The file is made when there is
// something to write.
func (v *view) writeFile(ctx context.Context, o *options, path string, s streams) error {
	switch path {
	case "":
		return wrongUse("Name it: pulsar-dissect "+v.name+" -o report.html capture.pcap", "no file is named that the report goes to")
	case stdinPath:
		return v.run(ctx, o, s)
	}
	if err := notAnInput(path, o.inputs()); err != nil {
		return err
	}
	f := &lateFile{path: path}
	s.out = f
	err := v.run(ctx, o, s)
	closed := f.Close()
	switch {
	case closed != nil:
		return firstOf(err, inputError{closed})
	case f.file != nil && !f.failed:
		tell(s.err, fmt.Errorf("wrote %s", path))
	}
	return err
}

// lateFile is a file that is made at the first Write. It does not stay where one
// fails.
type lateFile struct {
	path   string
	file   *os.File
	failed bool
}

// Write writes to the file.
func (f *lateFile) Write(b []byte) (n int, err error) {
	if f.file == nil {
		if f.file, err = os.Create(f.path); err != nil {
			return 0, fmt.Errorf("the report cannot be written: %w", err)
		}
	}
	n, err = f.file.Write(b)
	f.failed = f.failed || err != nil
	return n, err
}

// Close closes the file, if it was made.
func (f *lateFile) Close() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	if f.failed || err != nil {
		return errors.Join(err, removePartial(f.path))
	}
	return nil
}
