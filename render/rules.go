package render

import (
	"fmt"
	"io"
	"strings"

	"pulsar-dissect/diagnose"
)

// ListRules writes a line for each rule: name, usual severity, title.
func ListRules(w io.Writer, rules []*diagnose.Rule) error {
	name := 0
	for _, r := range rules {
		name = max(name, len(r.Name))
	}
	for _, r := range rules {
		if _, err := fmt.Fprintf(w, "%-*s  %-7s  %s\n", name, r.Name, r.Severity, r.Title); err != nil {
			return err
		}
	}
	return nil
}

// explainColumns is the width of explanations.
const explainColumns = 100

// ExplainRule writes what a rule is about. thresholds are lines about those that
// it looks at.
func ExplainRule(w io.Writer, r *diagnose.Rule, thresholds []string) error {
	b := &strings.Builder{}
	fmt.Fprintf(b, "%s (%s): %s\n", r.Name, r.Severity, r.Title)
	for _, part := range []struct{ title, text string }{
		{"What it means", r.Meaning}, {"What to do", r.Advice}, {"What it cannot tell", r.Blind},
	} {
		if part.text != "" {
			fmt.Fprintf(b, "\n%s:\n%s", part.title, filled(part.text))
		}
	}
	if len(thresholds) > 0 {
		fmt.Fprintf(b, "\nThresholds:\n")
		for _, t := range thresholds {
			b.WriteString(filled(t))
		}
	}
	if r.Lint {
		b.WriteString("\nIt is about keeping to the protocol: lint looks for it too.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// filled is text in lines of explainColumns.
func filled(text string) string {
	l := newLine(&Options{Format: Table, Width: explainColumns})
	return string(appendWrapped(nil, &l, plain, indent, text))
}
