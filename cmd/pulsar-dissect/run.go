package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"pulsar-dissect/capture"
	"pulsar-dissect/render"
	"pulsar-dissect/session"
)

// streams are those of a process.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

const stdinPath = "-"

// run shows what a view shows of the captures.
func (v *view) run(ctx context.Context, o *options, s streams) error {
	if err := v.check(o); err != nil {
		return err
	}
	c := newConsole(s.err)
	defer c.hide()
	source, err := capture.Open(o.files, capture.Options{
		Reorder:  o.reorder,
		Partial:  true,
		Warn:     func(w capture.Warning) { c.warn(ctx, w.String()) },
		Progress: v.progress(o, s, c),
		Stdin:    newPatient(ctx, s.in),
	})
	if err != nil {
		return inputError{err}
	}
	defer source.Close()
	out := newOutput(s.out, slices.Contains(o.files, stdinPath) || isTerminal(s.out))
	defer out.stop()
	o.live = slices.Contains(o.files, stdinPath) // a captured pipe, or as good as that
	r, err := v.prepare(o, source, out)
	if err == nil {
		o.spans.begin(r, nil)
		err = r.run(ctx, c)
	}
	err = firstOf(err, out.flush())
	if said := o.spans.end(); said != "" {
		c.say(said)
	}
	return err
}

func (v *view) check(o *options) error {
	if len(o.files) == 0 {
		return wrongUse("Name one, or - for standard input: pulsar-dissect capture.pcap. 'pulsar-dissect --help' shows what else there is.",
			"no capture file is named")
	}
	if v.counted != nil && o.last > 0 {
		return wrongUse("Choose packets by time with --since, or use timeline, pairs, messages or events.",
			"--last counts rows, and an overview has none")
	}
	if o.looked.failOn.set && !v.diagnoses(o) {
		return wrongUse("Leave out --no-findings, --type, --dir and --request-id.", "--fail-on without findings")
	}
	if v.rules != nil {
		for _, r := range o.looked.rules {
			if !slices.Contains(v.rules(), r) {
				return wrongUse(fmt.Sprintf("'pulsar-dissect diagnose --rules %s' looks for it; 'pulsar-dissect %s --list-rules' lists those of %s.", r.Name, v.name, v.name),
					"%q is no rule of %s", r.Name, v.name)
			}
		}
	}
	return o.check()
}

// showing is a run of the stages for a face.
type showing struct {
	options *options
	stages  *pipeline
	chosen  *chooser
	found   *diagnosis
	sink    render.Sink
	rows    *lastRows
}

// prepare makes everything that a run needs.
func (v *view) prepare(o *options, source packetSource, out *output) (*showing, error) {
	rows := newLastRows(out, o.last)
	ro := o.rendering(source.Files(), out)
	ro.Live = out.live && o.live
	var start int64
	ro.Start = &start
	sink := v.newSink(rows, ro, o)
	o.filter.Encode(render.NewJSON(ro.JSON()).Append)
	p, err := newPipeline(source, o, v.needs)
	if err != nil {
		return nil, err
	}
	p.extents = v.extents
	p.began = func(ns int64) {
		start = ns
		o.filter.Begin(ns)
	}
	d := v.newDiagnosis(o, &ro, sink)
	if d != nil {
		d.files = p.files
	}
	return &showing{options: o, stages: p, chosen: v.chooser(o, sink), found: d, sink: sink, rows: rows}, nil
}

// run runs the stages and gives the face their events.
func (r *showing) run(ctx context.Context, c *console) error {
	r.rows.begin()
	failed, err := feed(ctx, r.stages, r.chosen, r.found, c)
	c.hide() // before anything else comes on the same screen
	if err != nil {
		return writing(err)
	}
	if err := finish(r.sink, r.rows, r.found, r.stages.end()); err != nil {
		return writing(err)
	}
	c.doubts(&r.options.filter)
	c.keyLogs(r.stages)
	switch {
	case ctx.Err() != nil:
		c.tell("stopped before the end of the input")
		return ctx.Err()
	case failed:
		return errReported
	case r.found.fails(r.options.looked.failOn):
		return errFound
	case r.stages.seen.judgedNothing(r.options.looked.failOn, c):
		return errReported
	}
	return nil
}

// feed gives a face what is chosen for it, and rules everything. failed says that an input could not
// be read to its end.
func feed(ctx context.Context, p *pipeline, chosen *chooser, d *diagnosis, c *console) (failed bool, err error) {
	for e, err := range p.events(ctx) {
		if err != nil {
			failed = true
			c.tell(err.Error())
			continue
		}
		p.seen.look(e)
		for _, take := range p.heed {
			take(e)
		}
		if more, err := chosen.take(e); err != nil || !more {
			return failed, err
		}
		if err := d.add(e); err != nil {
			return failed, err
		}
	}
	return failed, nil
}

// finish ends a face. Rows that it held back count among the last ones.
func finish(sink render.Sink, rows *lastRows, d *diagnosis, end *render.End) error {
	if _, ok := sink.(render.Waiting); ok {
		if err := d.finish(); err != nil {
			return err
		}
		if err := sink.Close(end); err != nil {
			return err
		}
		return rows.end()
	}
	if err := rows.end(); err != nil {
		return err
	}
	if err := d.finish(); err != nil {
		return err
	}
	return sink.Close(end)
}

func (v *view) chooser(o *options, sink render.Sink) *chooser {
	rows := v.rowsFor(o.format)
	c := &chooser{sink: sink, rows: setOf(rows), counted: setOf(rows), first: o.first, also: v.also}
	if !o.format.IsRecords() {
		c.context = v.context
	}
	if !o.filter.Empty() {
		c.filter = &o.filter
	}
	if v.counted != nil {
		c.counted = setOf(v.counted)
		if c.filter != nil || c.first > 0 {
			c.carried = map[*session.Conn]bool{}
		}
	}
	return c
}

// rendering says how the face is to look.
func (o *options) rendering(files []string, out *output) render.Options {
	if o.written != "" {
		files = []string{o.written}
	}
	return render.Options{
		Format:       o.format,
		Color:        o.colored(out.terminal),
		Width:        out.width(),
		Files:        files,
		MaxPayload:   o.payload(),
		ShowSecrets:  o.showSecrets,
		Again:        o.written != "" || !o.live && len(o.files) > 0,
		WholePayload: o.wholePayload,
		WallClock:    o.wallClock,
		Limits:       render.Limits{Summary: o.limits.summary, Stats: o.limits.stats, Trace: o.limits.trace},
	}
}
