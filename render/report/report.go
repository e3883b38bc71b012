package report

import (
	"bytes"
	"io"
	"path/filepath"

	"pulsar-dissect/decode"
	"pulsar-dissect/render"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

// Report is a run as a page. It is a render.Sink that is render.Diagnosed.
type Report struct {
	w       io.Writer
	title   string
	version string
	limits  Limits
	began   bool
	begun   *int64 // time of the first packet, ns since the Unix epoch

	events block           // as they come
	shown  *render.Records // writes events
	kept   kept

	rest        block // what is known only later
	buf         bytes.Buffer
	records     *render.Records // counts events; writes verdicts, findings, the summary
	ended       *render.Records // writes connections
	connections kept
	consumers   kept

	charts charts
}

// New makes a report. version is that of the program.
func New(w io.Writer, o render.Options, l Limits, version string) *Report {
	r := &Report{w: w, title: titleOf(o.Files), version: version, limits: l.withDefaults(), begun: o.Start, charts: newCharts()}
	r.events.w, r.rest.w = w, &r.buf
	r.shown = render.NewRecords(&r.events, o, listed...)
	r.records = render.NewRecords(&r.rest, o).WithSummary()
	r.ended = render.NewRecords(&r.rest, o, session.ConnectionEnd)
	return r
}

// listed are the kinds of events that are shown one by one.
var listed = []session.Kind{
	session.FrameSeen, session.MessageSeen, session.ExchangeSeen, session.PermitsChanged, session.ChunkedMessage,
	session.GapSeen, session.BytesSkipped, session.ConflictSeen, session.ProxySeen, session.BookieSeen,
}

func titleOf(files []string) string {
	switch len(files) {
	case 0:
		return "Pulsar capture"
	case 1:
		return filepath.Base(files[0])
	}
	return filepath.Base(files[0]) + " and more"
}

// Event takes an event.
func (r *Report) Event(e *session.Event) error {
	if err := r.begin(e.At.Time); err != nil {
		return err
	}
	r.charts.add(e)
	if err := r.records.Event(e); err != nil {
		return err
	}
	switch {
	case e.Kind == session.ConnectionEnd:
		return r.connection(e)
	case r.kept.take(r.limits.Events):
		return r.shown.Event(e)
	}
	return nil
}

func (r *Report) connection(e *session.Event) error {
	if !r.connections.take(keptConnections) {
		return nil
	}
	return r.ended.Event(e)
}

// begin writes what stands ahead of the events.
func (r *Report) begin(first int64) error {
	if r.began {
		return nil
	}
	r.began = true
	if r.begun != nil && *r.begun != 0 {
		first = *r.begun
	}
	r.charts.axis.start, r.charts.last = first, first
	_, err := io.WriteString(r.w, head(r.title)+open("events"))
	return err
}

// Consumer takes a verdict on a consumer.
func (r *Report) Consumer(v *dispatch.Verdict, at decode.Position) error {
	if !r.consumers.take(keptConsumers) {
		return nil
	}
	return r.records.Consumer(v, at)
}

// Findings takes what rules found.
func (r *Report) Findings(d *render.Diagnosis) error { return r.records.Findings(d) }

// Close writes the rest of the page.
func (r *Report) Close(end *render.End) error {
	if err := r.begin(0); err != nil {
		return err
	}
	if err := r.events.end(); err != nil {
		return err
	}
	if err := r.records.Close(end); err != nil {
		return err
	}
	if err := r.rest.end(); err != nil {
		return err
	}
	charts := r.charts.record()
	charts.Version = r.version
	charts.Kept["events"], charts.Kept["connections"], charts.Kept["consumers"] = &r.kept, &r.connections, &r.consumers
	for _, part := range [][]byte{
		[]byte(shut + open("records")), r.buf.Bytes(),
		[]byte(shut + open("charts")), encode(charts),
		[]byte(shut + tail()),
	} {
		if _, err := r.w.Write(part); err != nil {
			return err
		}
	}
	return nil
}
