package render

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/session/dispatch"
)

// What the overview shows of a diagnosis at most.
const (
	shownFindings  = 10
	shownConsumers = 10
)

// Consumer keeps the verdict on a consumer that somebody has to look after.
func (a *Analyze) Consumer(v *dispatch.Verdict, _ decode.Position) error {
	row := newConsumerRow(v)
	switch {
	case !row.stuck():
	case len(a.stuck) == keptConsumers:
		a.moreStuck++
	default:
		a.stuck = append(a.stuck, row)
	}
	return nil
}

// Findings takes what rules found.
func (a *Analyze) Findings(d *Diagnosis) error {
	a.diagnosed, a.found, a.hits = true, d.Found, d.Hits
	a.summary.Stand(d.Stand)
	return nil
}

// diagnosis writes what is wrong and whom it keeps from working.
func (a *Analyze) diagnosis(first int64) error {
	if !a.diagnosed {
		return nil
	}
	if err := a.printFindings(); err != nil {
		return err
	}
	return a.printStuck(first)
}

func (a *Analyze) printFindings() error {
	l := newLine(&a.options)
	var text []byte
	if a.terse() {
		for _, x := range a.found {
			text = append(text, findingLine(&l, x)...)
		}
	} else {
		text = a.appendFindings(&l)
	}
	_, err := a.w.Write(text)
	return err
}

// appendFindings appends the worst findings, for people.
func (a *Analyze) appendFindings(l *line) []byte {
	l.begin()
	l.puts(heading, "FINDINGS")
	text := append([]byte{'\n'}, l.end()...)
	if len(a.found) == 0 {
		l.begin()
		l.puts(good, "none")
		return append(text, l.end()...)
	}
	shown := 0
	for _, x := range a.found {
		if x.Severity > diagnose.Info && shown < shownFindings {
			shown++
			text = a.appendFinding(text, l, x)
		}
	}
	l.begin()
	l.puts(faint, bySeverity(a.found))
	text = append(text, l.end()...)
	return a.options.appendCommand(text, l, "look: ", "diagnose")
}

func (a *Analyze) appendFinding(text []byte, l *line, x *diagnose.Finding) []byte {
	look := severityStyles[x.Severity]
	text = appendWrapped(text, l, look, marks[look]+" ", visible(x.Title)+" ("+x.Rule.Name+")"+times(uint64(x.Count)))
	if about := subjectWords(&x.Subject); about != "" {
		text = appendWrapped(text, l, subject, indent, about)
	}
	where := ""
	if len(x.Evidence) > 0 {
		where = " (packet " + packetList(x.Evidence[:1]) + ")"
	}
	return appendWrapped(text, l, plain, indent, visible(x.Detail)+where)
}

// printStuck writes the consumers that do not get on.
func (a *Analyze) printStuck(first int64) error {
	sortConsumers(a.stuck)
	rows := a.stuck
	if !a.terse() {
		rows = rows[:min(len(rows), shownConsumers)]
	}
	s := stamps{wall: true} // as in the findings
	s.begin(first)
	t := consumerSheet("CONSUMERS THAT DO NOT GET ON", rows, &s, a.terse())
	if more := uint64(len(a.stuck)-len(rows)) + a.moreStuck; more > 0 {
		t.note = "and " + plural(more, "more consumer") + ": " + a.options.command("consumers")
	}
	return t.print(a.w, &a.options)
}
