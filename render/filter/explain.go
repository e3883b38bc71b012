package filter

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/google/cel-go/common"

	"pulsar-dissect/internal/nearest"
	"pulsar-dissect/render/schema"
)

// explain tells what is wrong with an expression: place, reason, and the line
// with a mark below it. What follows from a first error is left out.
func explain(text string, errs []*common.Error) error {
	e := errs[0]
	line, column := e.Location.Line(), e.Location.Column()
	reason := inWords(strings.TrimSuffix(e.Message, " (in container '')"))
	for _, h := range hints {
		if found := h.pattern.FindStringSubmatch(e.Message); found != nil {
			reason += h.hint(found)
			break
		}
	}
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) {
		return errors.New(reason)
	}
	return fmt.Errorf("line %d, column %d: %s\n  %s\n  %s^", line, column+1, reason, lines[line-1], strings.Repeat(" ", max(column, 0)))
}

// inWords says in words what the parser has to say, which lists the tokens of
// its grammar.
func inWords(message string) string {
	for _, p := range parserSays {
		if found := p.pattern.FindStringSubmatchIndex(message); found != nil {
			return string(p.pattern.ExpandString(nil, p.words, message, found))
		}
	}
	return strings.TrimPrefix(message, syntaxError)
}

const syntaxError = "Syntax error: "

// parserSays are messages of the parser and what they mean; the first that fits
// counts.
var parserSays = []struct {
	pattern *regexp.Regexp
	words   string
}{
	{regexp.MustCompile(`^Syntax error: mismatched input '<EOF>' expecting '(.)'`), "the expression ends where $1 is expected"},
	{regexp.MustCompile(`^Syntax error: missing '(.)' at '<EOF>'`), "the expression ends where $1 is expected"},
	{regexp.MustCompile(`^Syntax error: missing '(.)' at '(.+)'`), "$1 is missing before $2"},
	{regexp.MustCompile(`^Syntax error: .*'<EOF>' expecting \{`), "the expression ends where a value is expected"},
	{regexp.MustCompile(`^Syntax error: (?:extraneous|mismatched) input '(.+)' expecting <EOF>`), "$1 is too much: && or || joins conditions"},
	{regexp.MustCompile(`^Syntax error: (?:extraneous|mismatched) input '(.+)' expecting \{`), "$1 stands where a value is expected"},
	{regexp.MustCompile(`^Syntax error: (?:extraneous|mismatched) input '(.+)' expecting '?([^']+)'?$`), "$1 stands where $2 is expected"},
	{regexp.MustCompile(`^Syntax error: no viable alternative at input '(.+)'`), "$1 makes no sense here"},
	{regexp.MustCompile(`^Syntax error: token recognition error at: ''.*'$`), "the quote is not closed"},
	{regexp.MustCompile(`^Syntax error: token recognition error at: '(.+?) *'$`), "$1 makes no sense here"},
}

// hints say what helps, by CEL's message.
var hints = []struct {
	pattern *regexp.Regexp
	hint    func(found []string) string
}{
	{regexp.MustCompile(`undeclared reference to '(\w+)'`), func(found []string) string {
		return nearest.Hint(found[1], schema.Names())
	}},
	{regexp.MustCompile(`invalid int literal`), func([]string) string {
		return "; a number above 9223372036854775807 needs a u behind it"
	}},
	{regexp.MustCompile(`token recognition error at: '=`), func([]string) string {
		return "; is equal to is written =="
	}},
}
