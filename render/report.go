package render

import (
	"io"

	"pulsar-dissect/decode"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

// Formats of reports for tools.
const (
	Text  Format = "text"  // for people
	JUnit Format = "junit" // JUnit XML, as build servers read it
	SARIF Format = "sarif" // SARIF 2.1.0, as code hosts read it
)

// Report is what reports tell besides findings.
type Report struct {
	Rules   []*diagnose.Rule  // that were run
	FailOn  diagnose.Severity // least severity that is a failure
	Version string            // of the program
}

// report collects findings for a face that is one document.
type report struct {
	Report
	w     io.Writer
	files []string
	found []*diagnose.Finding
}

// Event has no use for events.
func (r *report) Event(*session.Event) error { return nil }

// Consumer has no use for verdicts.
func (r *report) Consumer(*dispatch.Verdict, decode.Position) error { return nil }

// Findings takes what was found.
func (r *report) Findings(d *Diagnosis) error {
	r.found = d.Found
	return nil
}

// of lists the findings of a rule.
func (r *report) of(rule *diagnose.Rule) (found []*diagnose.Finding) {
	for _, f := range r.found {
		if f.Rule == rule {
			found = append(found, f)
		}
	}
	return found
}

// findingText says on one line whom it concerns and what happened.
func findingText(f *diagnose.Finding) string {
	text := whatHappened(f)
	if about := subjectWords(&f.Subject); about != "" {
		text = about + ": " + text
	}
	return text + times(uint64(f.Count))
}
