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
	buffer  buffer // of w; nil where it has none
	json    *JSON
	show    [session.ConnectionEnd + 1]bool
	summary *summary.Summary // nil where none is written
	limits  summary.Limits   // of the summary
	found   *Diagnosis       // nil where no rules were run
	buf     []byte

	elsewhere bool // the record at hand is made in the buffer of w
}

// buffer is what a writer like bufio.Writer has.
type buffer interface{ AvailableBuffer() []byte }

// NewRecords makes a face that shows events of these kinds.
func NewRecords(w io.Writer, o Options, show ...session.Kind) *Records {
	r := &Records{w: w, json: NewJSON(o.JSON()), limits: o.Limits.Summary}
	r.buffer, _ = w.(buffer)
	for _, k := range show {
		r.show[k] = true
	}
	return r
}

// WithSummary has the record of kind summary written at the end, over all
// events that the face was given.
func (r *Records) WithSummary() *Records {
	r.summary = summary.New(r.limits)
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
	return r.write(r.json.Append(r.begin(), e))
}

// begin is where the next record is made: in the buffer of the writer, if it has
// one (see bufio.Writer.AvailableBuffer), so that it need not be copied there.
func (r *Records) begin() []byte {
	r.elsewhere = false
	if r.buffer != nil {
		if b := r.buffer.AvailableBuffer(); cap(b) > 0 {
			r.elsewhere = true
			return b
		}
	}
	return r.buf[:0]
}

func (r *Records) write(record []byte) error {
	if !r.elsewhere {
		r.buf = record
	}
	_, err := r.w.Write(record)
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
	return r.write(r.json.AppendConsumer(r.begin(), v, at))
}

// Findings writes the records of what rules found.
func (r *Records) Findings(d *Diagnosis) error {
	r.found = d
	if r.summary != nil {
		r.summary.Stand(d.Stand)
	}
	for _, f := range d.Found {
		if err := r.write(r.json.AppendFinding(r.begin(), f)); err != nil {
			return err
		}
	}
	return nil
}

// SummaryType is the type that encoding/json makes the summary record of, for
// the schema.
func SummaryType() reflect.Type { return reflect.TypeFor[summaryRecord]() }
