package report

import (
	"io"
	"path/filepath"
	"slices"

	"pulsar-dissect/decode"
	"pulsar-dissect/render"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

// Report is a run as a page. It is a render.Sink that is render.Diagnosed. It keeps
// the records of the page in memory, within its limits, and writes all at the end:
// what the first view needs stands ahead of the events in the page, so that it shows
// before a browser has read those.
type Report struct {
	w       io.Writer
	title   string
	version string
	limits  Limits
	first   *int64 // time of the first packet, ns since the Unix epoch; nil: the first event's

	events block
	shown  *render.Records // writes events
	kept   kept

	rest        block           // all but events
	records     *render.Records // counts events; writes verdicts, findings, the summary
	ended       *render.Records // writes connections
	connections kept
	consumers   kept

	begun  bool
	charts charts
}

// New makes a report. version is that of the program.
func New(w io.Writer, o render.Options, l Limits, version string) *Report {
	o.Files = shortNames(o.Files)
	r := &Report{w: w, title: titleOf(o.Files), version: version, limits: l.withDefaults(), first: o.Start, charts: newCharts()}
	r.shown = render.NewRecords(&r.events, o, listed...)
	r.records = render.NewRecords(&r.rest, o).WithSummary()
	r.ended = render.NewRecords(&r.rest, o, session.ConnectionEnd)
	return r
}

// shortNames are names of files without their folders, which tell others of this
// machine and are of no use to them; unless two would be the same.
func shortNames(files []string) []string {
	short, known := make([]string, len(files)), map[string]bool{}
	for i, file := range files {
		short[i] = filepath.Base(file)
		if known[short[i]] {
			return files
		}
		known[short[i]] = true
	}
	return short
}

// withShortNames gives what the stages counted with the names of its files short.
func withShortNames(end *render.End) *render.End {
	short := *end
	short.Capture.Files = slices.Clone(end.Capture.Files)
	names := make([]string, len(short.Capture.Files))
	for i := range names {
		names[i] = short.Capture.Files[i].Name
	}
	for i, name := range shortNames(names) {
		short.Capture.Files[i].Name = name
	}
	return &short
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
	r.begin(e.At.Time)
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

// begin sets the time that charts begin at, when it is known.
func (r *Report) begin(first int64) {
	if r.begun {
		return
	}
	r.begun = true
	if r.first != nil {
		first = *r.first
	}
	r.charts.axis.start, r.charts.last = first, first
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

// Close writes the page.
func (r *Report) Close(end *render.End) error {
	r.begin(0)
	if err := r.records.Close(withShortNames(end)); err != nil {
		return err
	}
	charts := r.charts.record()
	charts.Version = r.version
	charts.Kept["events"], charts.Kept["connections"], charts.Kept["consumers"] = &r.kept, &r.connections, &r.consumers
	for _, part := range [][]byte{
		[]byte(head(r.title)),
		[]byte(open("records")), r.rest.array(), []byte(shut),
		[]byte(open("charts")), encode(charts), []byte(shut),
		[]byte("<script>" + script + "</script>\n"),
		[]byte(open("events")), r.events.array(), []byte(shut),
		[]byte("</body>\n</html>\n"),
	} {
		if _, err := r.w.Write(part); err != nil {
			return err
		}
	}
	return nil
}
