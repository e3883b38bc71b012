package render

import (
	"encoding/xml"
	"io"
	"strconv"

	"pulsar-dissect/diagnose"
)

// JUnitReport is the face "lint" as JUnit XML: a test case for each finding,
// and for each rule that found nothing. What is milder than a failure passes,
// and is told as its output.
type JUnitReport struct{ report }

// NewJUnit makes the face.
func NewJUnit(w io.Writer, o Options, r Report) *JUnitReport {
	return &JUnitReport{report{Report: r, w: w, files: o.Files}}
}

type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	Suite   junitSuite
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// Close writes the document.
func (j *JUnitReport) Close(*End) error {
	suite := junitSuite{Name: program + " lint"}
	for _, rule := range j.Rules {
		found := j.of(rule)
		for _, f := range found {
			suite.add(j.finding(f))
		}
		if len(found) == 0 {
			suite.add(junitCase{Class: rule.Name, Name: rule.Title})
		}
	}
	text, err := xml.MarshalIndent(junitSuites{Suite: suite}, "", "  ")
	if err != nil {
		return err
	}
	_, err = j.w.Write(append(append([]byte(xml.Header), text...), '\n'))
	return err
}

func (s *junitSuite) add(c junitCase) {
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	s.Cases = append(s.Cases, c)
}

func (j *JUnitReport) finding(f *diagnose.Finding) junitCase {
	c := junitCase{Class: f.Rule.Name, Name: visible(f.Title)}
	if about := subjectWords(&f.Subject); about != "" {
		c.Name += ": " + about
	}
	text := proofText(f)
	if f.Severity < j.FailOn {
		c.Output = f.Severity.String() + ": " + text
		return c
	}
	c.Failure = &junitFailure{Type: f.Severity.String(), Message: visible(f.Detail), Text: text}
	return c
}

// proofText says in lines what happened, what to do, and where.
func proofText(f *diagnose.Finding) string {
	text := findingText(f) + "\n"
	if f.Advice != "" {
		text += "To do: " + visible(f.Advice) + "\n"
	}
	for i := range f.Evidence {
		text += evidenceText(&f.Evidence[i]) + "\n"
	}
	return text
}

// evidenceText says where a piece of evidence is: "packet 12, c0 c2s at byte
// 4711: SEND".
func evidenceText(v *diagnose.Evidence) string {
	b := append([]byte("packet "), strconv.FormatUint(v.Packet, 10)...)
	if v.ConnID >= 0 {
		b = appendLabel(append(b, ", "...), v.ConnID)
	}
	if v.Dir != "" {
		b = strconv.AppendInt(append(b, " "+v.Dir+" at byte "...), v.Offset, 10)
	}
	if v.Type != "" {
		b = append(b, ": "+v.Type...)
	}
	return string(b)
}
