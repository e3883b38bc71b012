package render

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pulsar-dissect/decode"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/session"
)

// rowFace writes a row for each event when the next one comes, as the timeline does.
type rowFace struct {
	w    *bytes.Buffer
	held string
}

func (f *rowFace) Event(e *session.Event) error {
	if e.Kind == session.ExchangeSeen {
		f.held += " answered"
		return nil
	}
	err := f.Idle(0)
	f.held = "row " + e.Reason
	return err
}

func (f *rowFace) Idle(int64) error {
	if f.held != "" {
		f.w.WriteString(f.held + "\n")
	}
	f.held = ""
	return nil
}

func (f *rowFace) Close(*End) error { return f.Idle(0) }

var someFinding = &diagnose.Finding{
	Rule: &diagnose.Rule{Name: "some-rule"}, Severity: diagnose.Warning, Title: "Something", Count: 1,
	Subject: diagnose.Subject{ConnID: -1}, Evidence: []diagnose.Evidence{{Packet: 3, ConnID: 0, Type: "SEND"}},
}

func live(o Options, rows bool) (*Live, *bytes.Buffer) {
	b := &bytes.Buffer{}
	if !rows {
		return NewLive(nil, b, o), b
	}
	return NewLive(&rowFace{w: b}, b, o), b
}

// A finding comes behind the row that it was found with, and what that row has to
// say of its answer.
func TestLiveOrder(t *testing.T) {
	conn := &session.Conn{}
	conn.Conn = &decode.Conn{Protocol: decode.Pulsar}
	v, b := live(Options{Format: Compact}, true)
	steps := []func() error{
		func() error { return v.Event(&session.Event{Kind: session.FrameSeen, Conn: conn, Reason: "a"}) },
		func() error { return v.Found(someFinding) },
		func() error { return v.Event(&session.Event{Kind: session.ExchangeSeen, Conn: conn}) },
		func() error { return v.Event(&session.Event{Kind: session.FrameSeen, Conn: conn, Reason: "b"}) },
		func() error { return v.Found(someFinding) },
		func() error { return v.Idle(0) },
		func() error { return v.Close(&End{}) },
	}
	var errs []error
	for _, step := range steps {
		errs = append(errs, step())
	}
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	finding := "finding severity=warning rule=some-rule count=1 packets=3 Something\n"
	if want := "row a answered\n" + finding + "row b\n" + finding; b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b, want)
	}
}

// Without rows findings are written at once, and counted at the end.
func TestLiveFindings(t *testing.T) {
	v, b := live(Options{Format: Table}, false)
	if err := v.Found(someFinding); err != nil || !strings.Contains(b.String(), "Something (some-rule)") {
		t.Fatal(err, b)
	}
	if err := errors.Join(v.Findings(&Diagnosis{Found: []*diagnose.Finding{someFinding}}), v.Close(&End{})); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "1 warning.") || strings.Count(b.String(), "Something") != 1 {
		t.Errorf("got %s", b)
	}
}

// What is not Pulsar does not end with a row.
func TestLiveForeign(t *testing.T) {
	conn := &session.Conn{}
	conn.Conn = &decode.Conn{Protocol: decode.HTTP}
	v, b := live(Options{Format: Compact}, true)
	if err := errors.Join(v.Event(&session.Event{Kind: session.ConnectionEnd, Conn: conn, Reason: "a"}), v.Idle(0)); err != nil || b.Len() > 0 {
		t.Errorf("%v, %q", err, b)
	}
}

// What was told while nothing came is not written again when packets show it, and
// counted in the end if they do not. Records have it only then.
func TestLiveSoFar(t *testing.T) {
	soFar, again := *someFinding, *someFinding
	soFar.SoFar, again.Again = true, true
	v, b := live(Options{Format: Table}, false)
	if err := errors.Join(v.Found(&soFar), v.Found(&soFar), v.Found(&again), v.Close(&End{})); err != nil {
		t.Fatal(err)
	}
	if strings.Count(b.String(), "Something (some-rule), so far") != 2 || strings.Count(b.String(), "Something") != 2 || !strings.HasSuffix(b.String(), "not seen since: 1.\n") {
		t.Errorf("got %s", b)
	}
	b.Reset()
	r := NewLiveFindings(b, Options{Format: JSONLines})
	if err := errors.Join(r.Found(&soFar), r.Found(&again)); err != nil || strings.Count(b.String(), `"kind":"finding"`) != 1 {
		t.Errorf("%v, %s", err, b)
	}
}
