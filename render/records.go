package render

import (
	"io"
	"reflect"

	"pulsar-dissect/decode"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
	"pulsar-dissect/session/summary"
)

// Records is the face for scripts: JSON Lines, one record an event.
type Records struct {
	w       io.Writer
	json    *JSON
	show    [session.ConnectionEnd + 1]bool
	summary *summary.Summary // nil where none is written
	found   *Diagnosis       // nil where no rules were run
	buf     []byte
}

// NewRecords makes a face that shows events of these kinds.
func NewRecords(w io.Writer, o Options, show ...session.Kind) *Records {
	r := &Records{w: w, json: NewJSON(o.JSON())}
	for _, k := range show {
		r.show[k] = true
	}
	return r
}

// WithSummary has the record of kind summary written at the end, over all
// events that the face was given.
func (r *Records) WithSummary() *Records {
	r.summary = summary.New(summary.Limits{})
	return r
}

// JSON is how records look under the options.
func (o *Options) JSON() JSONOptions {
	return JSONOptions{Files: o.Files, MaxPayload: o.MaxPayload, ShowSecrets: o.ShowSecrets, Again: o.Again}
}

// Event writes the record of an event of a kind that is shown.
func (r *Records) Event(e *session.Event) error {
	if r.summary != nil {
		r.summary.Add(e)
	}
	if !r.show[e.Kind] {
		return nil
	}
	r.buf = r.json.Append(r.buf[:0], e)
	_, err := r.w.Write(r.buf)
	return err
}

// Close writes the summary, if there is to be one.
func (r *Records) Close(end *End) error {
	if r.summary == nil {
		return nil
	}
	r.summary.Finish(end.Totals)
	_, err := r.w.Write(r.json.appendSummary(nil, r.summary, r.found))
	return err
}

// Consumer writes the record of a verdict.
func (r *Records) Consumer(v *dispatch.Verdict, at decode.Position) error {
	r.buf = r.json.AppendConsumer(r.buf[:0], v, at)
	_, err := r.w.Write(r.buf)
	return err
}

// Findings writes the records of what rules found.
func (r *Records) Findings(d *Diagnosis) error {
	r.found = d
	if r.summary != nil {
		r.summary.Stand(d.Stand)
	}
	for _, f := range d.Found {
		r.buf = r.json.AppendFinding(r.buf[:0], f)
		if _, err := r.w.Write(r.buf); err != nil {
			return err
		}
	}
	return nil
}

// SummaryType is the type that encoding/json makes the summary record of, for
// the schema.
func SummaryType() reflect.Type { return reflect.TypeFor[summaryRecord]() }
