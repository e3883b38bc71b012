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
	reason := strings.TrimSuffix(e.Message, " (in container '')")
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
