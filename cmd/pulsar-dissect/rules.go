package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"pulsar-dissect/diagnose"
	"pulsar-dissect/internal/nearest"
	"pulsar-dissect/render"
)

// looked says what to look for, and what of it to tell.
type looked struct {
	rules      []*diagnose.Rule // nil: all
	thresholds diagnose.Thresholds
	least      diagnose.Severity // least that is shown
	failOn     severity          // from which on the exit status says so
	none       bool              // rules are not run

	list    bool // the rules there are, instead of findings
	explain ruleNames
}

// severity is the value of a flag that may be left out.
type severity struct {
	of  diagnose.Severity
	set bool
}

// severities are those there are, mildest first.
var severities = []diagnose.Severity{diagnose.Info, diagnose.Warning, diagnose.Error}

// Set takes the name of a severity.
func (s *severity) Set(text string) error {
	for _, v := range severities {
		if v.String() == text {
			s.of, s.set = v, true
			return nil
		}
	}
	return fmt.Errorf("%q is none of %s", text, strings.ReplaceAll(s.Type(), "|", ", "))
}

func (s *severity) String() string {
	if !s.set {
		return ""
	}
	return s.of.String()
}

// Type is how help texts call the value.
func (s *severity) Type() string { return "info|warning|error" }

// leastSeverity is the value of a flag with a default.
type leastSeverity struct{ to *diagnose.Severity }

// Set takes the name of a severity.
func (l leastSeverity) Set(text string) error {
	s := severity{}
	err := s.Set(text)
	*l.to = s.of
	return err
}

func (l leastSeverity) String() string {
	if l.to == nil {
		return ""
	}
	return l.to.String()
}

// Type is how help texts call the value.
func (leastSeverity) Type() string { return (&severity{}).Type() }

// ruleNames is the value of a flag that names rules, several with commas.
type ruleNames struct {
	of *[]*diagnose.Rule
}

// Set looks the rules up.
func (r ruleNames) Set(text string) error {
	for _, name := range strings.Split(text, ",") {
		rule := diagnose.ByName(strings.TrimSpace(name))
		if rule == nil {
			return fmt.Errorf("there is no rule %q (--list-rules lists them)%s", name, nearest.Hint(name, allRuleNames()))
		}
		if !slices.Contains(*r.of, rule) {
			*r.of = append(*r.of, rule)
		}
	}
	return nil
}

func (r ruleNames) String() string { return "" }

// Type is how help texts call the value.
func (r ruleNames) Type() string { return "NAME" }

func allRuleNames() (names []string) {
	for _, r := range diagnose.Rules {
		names = append(names, r.Name)
	}
	return names
}

// failOnFlag is what tells scripts of findings.
func (o *options) failOnFlag() *pflag.FlagSet {
	set := newFlagSet()
	set.Var(&o.looked.failOn, "fail-on", "exit status 3 where a finding is as severe as this, or more; 2 where no Pulsar could be read")
	return set
}

// skipFlag leaves rules out of views that show more than findings.
func (o *options) skipFlag() *pflag.FlagSet {
	set := newFlagSet()
	set.BoolVar(&o.looked.none, "no-findings", false, "look for no findings and judge no consumers, which takes time")
	return set
}

// ruleFlags choose rules and findings.
func (o *options) ruleFlags() *pflag.FlagSet {
	l := &o.looked
	l.explain.of = new([]*diagnose.Rule)
	set := newFlagSet()
	set.Var(ruleNames{&l.rules}, "rules", "only these rules, several with commas")
	set.Var(leastSeverity{&l.least}, "severity", "least severity that is shown")
	set.AddFlagSet(o.failOnFlag())
	set.Var(l.explain, "explain", "tell what a rule looks for, what to do, and what it cannot tell; needs no file")
	set.BoolVar(&l.list, "list-rules", false, "the rules there are; needs no file")
	return set
}

// tellRules tells of rules where that was asked for in place of findings.
func (o *options) tellRules(w io.Writer, rules []*diagnose.Rule) (told bool, err error) {
	l := &o.looked
	if l.list {
		return true, writing(render.ListRules(w, rules))
	}
	for i, r := range *l.explain.of {
		if i > 0 {
			fmt.Fprintln(w) //nolint:errcheck // the next write gives the same error
		}
		if err := render.ExplainRule(w, r, o.thresholdsOf(r.Name)); err != nil {
			return true, writing(err)
		}
	}
	return len(*l.explain.of) > 0, nil
}

// thresholdsOf lists the flags that a rule looks at, with their values.
func (o *options) thresholdsOf(rule string) (lines []string) {
	t := &o.looked.thresholds
	values := *t
	rows := thresholdFlags(t) // sets the defaults
	*t = values
	for i := range rows {
		if row := &rows[i]; row.of(rule) {
			lines = append(lines, fmt.Sprintf("--%s %s: %s", row.name, row.value, row.about))
		}
	}
	return lines
}
