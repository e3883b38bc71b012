package render

import (
	"io"
	"strconv"
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
	"pulsar-dissect/session/summary"
)

// Diagnosed is a Sink that shows what was diagnosed as well.
type Diagnosed interface {
	Sink
	// Consumer takes the verdict on a consumer that has ended, or that the end
	// of the capture has been reached for, and the position it was made at.
	Consumer(v *dispatch.Verdict, at decode.Position) error
	// Findings takes those of the run. It is called once, ahead of Close; not at
	// all where no rules were run.
	Findings(d *Diagnosis) error
}

// Diagnosis is what rules found.
type Diagnosis struct {
	Found []*diagnose.Finding // most severe first
	Hits  []summary.Hit       // what was given up for want of memory, or not
	Stand []dispatch.Standing // how subscriptions stand at the end
}

// Findings is the face "diagnose": each finding with whom it is about, what to
// do and which frames prove it. It writes all at the end.
type Findings struct {
	w       io.Writer
	options Options
	Diagnosis
	stamps  stamps
	advised map[string]string // rule of the finding for which an advice was printed
}

// NewFindings makes the face "diagnose". Its times are times of day, as those in
// the sentences of findings are.
func NewFindings(w io.Writer, o Options) *Findings {
	return &Findings{w: w, options: o, stamps: stamps{wall: true}, advised: map[string]string{}}
}

// Event has no use for events.
func (f *Findings) Event(*session.Event) error { return nil }

// Consumer has no use for verdicts.
func (f *Findings) Consumer(*dispatch.Verdict, decode.Position) error { return nil }

// Findings takes what was found.
func (f *Findings) Findings(d *Diagnosis) error {
	f.Diagnosis = *d
	return nil
}

// Close writes the findings.
func (f *Findings) Close(end *End) error {
	f.stamps.begin(firstTime(end))
	if len(f.Found) == 0 {
		return writeNothing(f.w, newLine(&f.options), end, "no rule has found anything")
	}
	l := newLine(&f.options)
	if f.options.Format == Compact {
		return f.lines(&l)
	}
	if err := f.caption(&l); err != nil {
		return err
	}
	for _, x := range f.Found {
		if _, err := f.w.Write(f.appendFinding(nil, &l, x)); err != nil {
			return err
		}
	}
	return f.sum(&l)
}

// firstTime is that of the first packet, ns since the Unix epoch.
func firstTime(end *End) (first int64) {
	known := false
	for i := range end.Capture.Files {
		if x := &end.Capture.Files[i]; x.Packets > x.NoTime && (!known || x.First < first) {
			first, known = x.First, true
		}
	}
	return first
}

func (f *Findings) lines(l *line) error {
	for _, x := range f.Found {
		if _, err := f.w.Write(findingLine(l, x)); err != nil {
			return err
		}
	}
	return nil
}

func (f *Findings) caption(l *line) error {
	l.begin()
	l.puts(faint, "Times are "+f.stamps.caption()+".")
	_, err := f.w.Write(l.end())
	return err
}

// sum tells how many there are, and where more can be read.
func (f *Findings) sum(l *line) error {
	counts, more := bySeverity(f.Found)+".", program+" diagnose --explain "+f.Found[0].Rule.Name+" tells more of a rule."
	text := []byte{'\n'}
	l.begin()
	l.puts(plain, counts)
	if l.width > 0 && l.at+1+displayWidth([]byte(more)) > l.width { // a command that is cut is of no use
		text = appendWrapped(append(text, l.end()...), l, faint, "", more)
	} else {
		l.words(faint, more)
		text = append(text, l.end()...)
	}
	for _, h := range f.Hits {
		if h.Count > 0 {
			text = appendWrapped(text, l, doubtful, "", hitText(&h))
		}
	}
	_, err := f.w.Write(text)
	return err
}

// hitText tells of a limit that was hit.
func hitText(h *summary.Hit) string {
	return "limit " + h.Name + " hit" + times(h.Count) + ": " + h.What
}

// severityStyles are how severities look.
var severityStyles = [...]style{diagnose.Info: faint, diagnose.Warning: doubtful, diagnose.Error: wrong}

func (f *Findings) appendFinding(text []byte, l *line, x *diagnose.Finding) []byte {
	look := severityStyles[x.Severity]
	text = append(text, '\n')
	title := x.Severity.String() + ": " + x.Title + " (" + x.Rule.Name + ")" + times(uint64(x.Count))
	if x.SoFar {
		title += ", so far"
	}
	text = appendWrapped(text, l, look, marks[look]+" ", visible(title))
	if about := subjectWords(&x.Subject); about != "" {
		text = appendWrapped(text, l, subject, indent, about)
	}
	if x.Detail != "" {
		text = appendWrapped(text, l, plain, indent, visible(x.Detail))
	}
	if x.Advice != "" {
		text = appendWrapped(text, l, plain, indent+"To do: ", f.advice(x))
	}
	text = f.appendProof(text, l, x.Evidence)
	if f.options.Again && len(x.Evidence) > 0 {
		text = f.options.appendCommand(text, l, indent, cutOut(x))
	}
	return text
}

// advice is what to do, each advice once.
func (f *Findings) advice(x *diagnose.Finding) string {
	if rule, told := f.advised[x.Advice]; told {
		return "the same as for " + rule + " above."
	}
	f.advised[x.Advice] = x.Rule.Name
	return visible(x.Advice)
}

// pointers show the direction of a frame.
var pointers = map[string]string{decode.ClientToServer.String(): "→", decode.ServerToClient.String(): "←"}

// appendProof appends a line for each piece of evidence. Frames of one packet
// may read the same; they are told once.
func (f *Findings) appendProof(text []byte, l *line, evidence []diagnose.Evidence) []byte {
	told := map[string]bool{}
	for i := range evidence {
		one := f.appendEvidence(nil, l, &evidence[i])
		if !told[string(one)] {
			told[string(one)] = true
			text = append(text, one...)
		}
	}
	return text
}

func (f *Findings) appendEvidence(text []byte, l *line, v *diagnose.Evidence) []byte {
	l.begin()
	l.puts(faint, indent+"packet "+strconv.FormatUint(v.Packet, 10)+f.fileName(v)+", "+string(f.stamps.append(nil, v.Time, false)))
	l.words(faint, string(appendLabel(nil, v.ConnID)))
	if v.Type != "" {
		l.words(faint, pointers[v.Dir])
		l.words(plain, v.Type)
	}
	return append(text, l.end()...)
}

// fileName tells of several files the one that evidence is in.
func (f *Findings) fileName(v *diagnose.Evidence) string {
	if len(f.options.Files) < 2 || v.File < 0 {
		return ""
	}
	return " in " + named(f.options.Files[v.File])
}

// visible is text fit for a terminal.
func visible(text string) string { return string(appendVisible(nil, text)) }

// subjectParts are what a subject may name, in the order in which it is said.
var subjectParts = []struct {
	name string
	of   func(*diagnose.Subject) string
}{
	{"topic", func(s *diagnose.Subject) string { return string(appendTopic(nil, s.Topic)) }},
	{"subscription", func(s *diagnose.Subject) string { return named(s.Subscription) }},
	{"producer", func(s *diagnose.Subject) string { return named(strings.TrimPrefix(s.Producer, "producer ")) }},
	{"consumer", func(s *diagnose.Subject) string { return named(strings.TrimPrefix(s.Consumer, "consumer ")) }},
	{"message", func(s *diagnose.Subject) string { return named(s.MessageID) }},
}

func named(name string) string { return string(appendName(nil, name)) }

// subjectWords say whom a finding is about: "topic orders, subscription audit,
// connection c3 10.0.0.1:4711-10.0.0.2:6650".
func subjectWords(s *diagnose.Subject) string {
	var words []string
	for _, p := range subjectParts {
		if text := p.of(s); text != "" {
			words = append(words, p.name+" "+text)
		}
	}
	if s.ConnID >= 0 && s.Conn != "" {
		words = append(words, "connection "+string(appendLabel(nil, s.ConnID))+" "+visible(s.Conn))
	} else if s.Conn != "" {
		words = append(words, visible(s.Conn))
	}
	return strings.Join(words, ", ")
}

// findingLine is a finding on one line, for grep.
func findingLine(l *line, x *diagnose.Finding) []byte {
	l.begin()
	l.puts(severityStyles[x.Severity], "finding severity="+x.Severity.String())
	l.words(plain, "rule="+x.Rule.Name)
	l.words(plain, "count="+strconv.Itoa(x.Count))
	if x.SoFar {
		l.words(plain, "so_far=true")
	}
	if x.Subject.ConnID >= 0 {
		l.words(plain, "conn="+string(appendLabel(nil, x.Subject.ConnID)))
	}
	word := sheetColumn{name: "subject"}
	for _, p := range subjectParts {
		if text := p.of(&x.Subject); text != "" {
			l.words(subject, p.name+"="+word.word(text))
		}
	}
	if packets := packetList(x.Evidence); packets != "" {
		l.words(plain, "packets="+packets)
	}
	l.words(plain, whatHappened(x))
	return l.end()
}

// whatHappened is title and detail.
func whatHappened(x *diagnose.Finding) string {
	if x.Detail == "" {
		return visible(x.Title)
	}
	return visible(x.Title) + ": " + visible(x.Detail)
}

// packetList names the packets of evidence: 12,14,15.
func packetList(evidence []diagnose.Evidence) string {
	var numbers []string
	for i := range evidence {
		numbers = append(numbers, strconv.FormatUint(evidence[i].Packet, 10))
	}
	return strings.Join(numbers, ",")
}

// bySeverity counts findings: "1 error, 2 warnings, 5 for information".
func bySeverity(found []*diagnose.Finding) string {
	var n [len(severityStyles)]int
	for _, x := range found {
		n[x.Severity]++
	}
	var words []string
	for _, s := range []diagnose.Severity{diagnose.Error, diagnose.Warning} {
		if n[s] > 0 {
			words = append(words, plural(n[s], s.String()))
		}
	}
	if n[diagnose.Info] > 0 {
		words = append(words, countText(n[diagnose.Info])+" for information")
	}
	return strings.Join(words, ", ")
}
