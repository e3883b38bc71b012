package render

import (
	"io"

	"pulsar-dissect/decode"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

// Alerted is a Sink that shows findings as they are found.
type Alerted interface {
	Sink
	// Found takes a finding when it is found first. What it is found again with
	// is added to it later. One that was told while nothing came (SoFar) comes
	// once more when packets show it (Again).
	Found(f *diagnose.Finding) error
}

// Idling is a Sink that holds something back which the next event may complete.
type Idling interface {
	Sink
	// Idle writes it, since no event is at hand up to now, ns since the Unix epoch.
	Idle(now int64) error
}

// Live is a face for people with findings between its rows, where they were
// found.
type Live struct {
	face     Sink // nil: there is nothing but findings
	findings Findings
	line     line
	found    []byte // findings that are not written yet
	soFar    int    // findings that were told while nothing came, and that packets have not shown
}

// NewLive makes a face that shows findings, and the rows of another face if that
// is not nil.
func NewLive(face Sink, w io.Writer, o Options) *Live {
	f := NewFindings(w, o)
	f.stamps.start = o.Start
	return &Live{face: face, findings: *f, line: newLine(&o)}
}

// Event gives the face its event. What belongs to the row of the event before
// comes ahead of findings.
func (v *Live) Event(e *session.Event) error {
	if len(v.found) > 0 && e.Kind != session.ExchangeSeen {
		if err := v.Idle(e.At.Time); err != nil {
			return err
		}
	}
	if v.face == nil || e.Kind == session.ConnectionEnd && isForeign(e.Conn) {
		return nil
	}
	return v.face.Event(e)
}

// isForeign says whether a connection is of no interest: an interface has many
// of those, while a capture in a file was made with a purpose.
func isForeign(c *session.Conn) bool {
	return c.Protocol != decode.Pulsar && c.Protocol != decode.BookKeeper
}

// Idle has the face write what it holds back, and writes findings.
func (v *Live) Idle(now int64) error {
	if i, ok := v.face.(Idling); ok {
		if err := i.Idle(now); err != nil {
			return err
		}
	}
	return v.write()
}

func (v *Live) write() error {
	if len(v.found) == 0 {
		return nil
	}
	if v.face != nil && v.findings.options.Format != Compact {
		v.found = append(v.found, '\n') // rows follow
	}
	_, err := v.findings.w.Write(v.found)
	v.found = v.found[:0]
	return err
}

// Waiting says whether the face holds rows back.
func (v *Live) Waiting() bool {
	w, ok := v.face.(Waiting)
	return ok && w.Waiting()
}

// Found takes a finding, to be written behind the row that it was found with.
func (v *Live) Found(x *diagnose.Finding) error {
	if x.Again {
		v.soFar = max(v.soFar-1, 0)
		return nil
	}
	if x.SoFar {
		v.soFar++
	}
	f := &v.findings
	f.stamps.begin(0) // the time of the first packet is known
	if f.options.Format == Compact {
		v.found = append(v.found, findingLine(&v.line, x)...)
	} else {
		v.found = f.appendFinding(v.found, &v.line, x)
	}
	if v.face == nil {
		return v.write()
	}
	return nil
}

// Consumer has no use for verdicts.
func (v *Live) Consumer(*dispatch.Verdict, decode.Position) error { return nil }

// Findings takes what was found, to count it at the end.
func (v *Live) Findings(d *Diagnosis) error { return v.findings.Findings(d) }

// Close ends the face, and counts the findings.
func (v *Live) Close(end *End) error {
	if v.face != nil {
		if err := v.face.Close(end); err != nil {
			return err
		}
	}
	if err := v.write(); err != nil {
		return err
	}
	if v.findings.options.Format == Compact {
		return nil
	}
	if err := v.sum(end); err != nil || v.soFar == 0 {
		return err
	}
	_, err := v.findings.w.Write(appendWrapped(nil, &v.line, faint, "", "Told so far, while nothing came, and not seen since: "+countText(v.soFar)+"."))
	return err
}

// sum counts the findings of the run.
func (v *Live) sum(end *End) error {
	f := &v.findings
	switch {
	case len(f.Found) > 0:
		return f.sum(&v.line)
	case v.face == nil:
		return f.Close(end)
	}
	return nil
}

// LiveFindings is the face for scripts with a record for each finding, when it is
// found first.
type LiveFindings struct{ *Records }

// NewLiveFindings makes that face.
func NewLiveFindings(w io.Writer, o Options) LiveFindings { return LiveFindings{NewRecords(w, o)} }

// Found writes the record of a finding. Records are the same as of a file, so that
// what is only told so far has none.
func (r LiveFindings) Found(f *diagnose.Finding) error {
	if f.SoFar {
		return nil
	}
	return r.Records.Findings(&Diagnosis{Found: []*diagnose.Finding{f}})
}

// Findings writes nothing: all have been written.
func (r LiveFindings) Findings(*Diagnosis) error { return nil }
