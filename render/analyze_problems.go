package render

import (
	"slices"
	"strconv"
	"strings"

	"pulsar-dissect/session/summary"
)

// problem is something that an operator should know, and where to look next.
type problem struct {
	severity style // wrong, doubtful or faint
	what     string
	examples []summary.Example
	advice   string
	look     string // arguments of a command to type
}

// problemRules find the problems; what is found first stands first among those
// of the same severity.
var problemRules = []func(*Analyze) []problem{
	(*Analyze).noPulsar,
	(*Analyze).unreadablePackets,
	(*Analyze).refusedConnections,
	(*Analyze).wrongServer,
	(*Analyze).unanswering,
	(*Analyze).tlsAlerts,
	(*Analyze).sealed,
	(*Analyze).clocks,
	(*Analyze).brokerErrors,
	(*Analyze).unanswered,
	(*Analyze).badChecksums,
	(*Analyze).lostBytes,
	(*Analyze).cutPackets,
	(*Analyze).skippedBytes,
	(*Analyze).unreadableMessages,
	(*Analyze).incompleteChunks,
	(*Analyze).conflicts,
	(*Analyze).brokerCloses,
	(*Analyze).orphans,
	(*Analyze).frameIssues,
	(*Analyze).network,
	(*Analyze).limits,
}

// severities orders problems, worst first.
var severities = map[style]int{wrong: 0, doubtful: 1, faint: 2}

// marks stand before problems.
var marks = map[style]string{wrong: "✗", doubtful: "!", faint: "·"}

// severityNames are the severities in lines.
var severityNames = map[style]string{wrong: "error", doubtful: "warning", faint: "info"}

func (a *Analyze) problems() (found []problem) {
	for _, rule := range problemRules {
		found = append(found, rule(a)...)
	}
	slices.SortStableFunc(found, func(x, y problem) int { return severities[x.severity] - severities[y.severity] })
	return found
}

func (a *Analyze) printProblems() error {
	found := a.problems()
	l := newLine(&a.options)
	var text []byte
	if !a.terse() {
		l.begin()
		l.puts(heading, "PROBLEMS")
		text = append(append(text, '\n'), l.end()...)
	}
	for i := range found {
		if i == shownProblems && !a.terse() {
			l.begin()
			l.puts(faint, "and "+plural(len(found)-i, "more problem")+" (-o compact)")
			text = append(text, l.end()...)
			break
		}
		if next := i + 1; !a.terse() && next < min(len(found), shownProblems) && found[next].look == found[i].look {
			found[i].look = "" // told once for both
		}
		text = a.appendProblem(text, &l, &found[i])
	}
	if len(found) == 0 {
		l.begin()
		if a.terse() {
			l.puts(plain, "problem none")
		} else {
			l.puts(good, a.noProblem())
		}
		text = append(text, l.end()...)
	}
	_, err := a.w.Write(text)
	return err
}

// noProblem leaves no doubt that findings are problems, too.
func (a *Analyze) noProblem() string {
	if len(a.found) > 0 {
		return "none but the findings above"
	}
	return "none found"
}

// appendProblem appends the lines of a problem, or the one line for grep.
func (a *Analyze) appendProblem(text []byte, l *line, p *problem) []byte {
	l.begin()
	if a.terse() {
		l.puts(p.severity, "problem severity="+severityNames[p.severity])
		l.words(plain, p.what)
		for i := range p.examples {
			l.words(plain, "["+exampleText(&p.examples[i])+"]")
		}
		if p.look != "" {
			l.words(faint, "look: "+a.options.command(p.look))
		}
		return append(text, l.end()...)
	}
	text = appendWrapped(text, l, p.severity, marks[p.severity]+" ", p.what)
	for i := range p.examples {
		text = appendWrapped(text, l, plain, indent, exampleText(&p.examples[i]))
	}
	if p.advice != "" {
		text = appendWrapped(text, l, plain, indent, p.advice)
	}
	if p.look != "" {
		text = a.options.appendCommand(text, l, indent+"look: ", p.look)
	}
	return text
}

const indent = "    "

// appendWrapped appends text in as many lines as it takes.
func appendWrapped(text []byte, l *line, s style, first, words string) []byte {
	l.begin()
	l.puts(s, first)
	return append(appendFlowing(text, l, s, words, max(l.at, len(indent))), l.end()...)
}

// appendFlowing goes on with a line that is begun, and appends those that become
// full. The next ones begin under column under.
func appendFlowing(text []byte, l *line, s style, words string, under int) []byte {
	start := l.at
	for i, word := range strings.Split(words, " ") {
		room := l.width <= 0 || l.at+1+displayWidth([]byte(word)) <= l.width
		switch {
		case i > 0 && room:
			word = " " + word
		case i > 0 && l.at > start:
			text = append(text, l.end()...)
			l.begin()
			l.spaces(under)
		}
		l.puts(s, word)
	}
	return text
}

// exampleText says where an example is, and what came with it.
func exampleText(x *summary.Example) string {
	b := appendLabel([]byte("packet "+strconv.FormatUint(x.Packet, 10)+", "), x.ConnID)
	if x.Topic != "" {
		b = appendTopic(append(b, ", "...), x.Topic)
	}
	if x.Text != "" {
		b = appendError(append(b, ": "...), x.Text)
	}
	return string(b)
}

// one is the list of a single problem, or none.
func one(when bool, p problem) []problem {
	if !when {
		return nil
	}
	return []problem{p}
}

// times says how often, unless once.
func times(n uint64) string {
	if n == 1 {
		return ""
	}
	return ", " + countText(n) + " times"
}
