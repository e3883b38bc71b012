package diagnose

import (
	"slices"

	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// Rule is one thing that can be found.
type Rule struct {
	Name     string   // as in the list of findings, --rules and --explain
	Severity Severity // usual one; a finding may have another
	Title    string   // a few words for an operator
	Meaning  string   // what it means
	Advice   string   // what the operator or the author of the client should do
	Blind    string   // what the rule cannot tell
	Lint     bool     // it is about keeping to the protocol: lint shows it

	// What the rule looks at: frames of these types (AllFrames: of all), and
	// events of these kinds. RunEnd comes to all.
	Frames []pb.BaseCommand_Type
	Kinds  []session.Kind

	// Start makes the state of the rule for one run, and gives what is called
	// for each event. A rule may do without.
	Start func(*Reporter) Watch

	// Follow sets watchers on what follows deliveries (Reporter.Dispatch). Most
	// rules do without.
	Follow func(*Reporter)
}

// AllFrames asks for frames of every type, also of unknown ones.
const AllFrames pb.BaseCommand_Type = -1

// Watch looks at an event, which is borrowed.
type Watch func(e *session.Event)

// Reporter takes the findings of one rule.
type Reporter struct {
	Thresholds *Thresholds
	engine     *Engine
	rule       *Rule
}

// Report takes a finding. Rule, and what is empty of severity, title and
// advice, are filled in; the same again is folded into the first.
func (r *Reporter) Report(f Finding) {
	f.Rule = r.rule
	r.engine.take(f)
}

// Warn reports a finding of the rule's usual severity.
func (r *Reporter) Warn(subject Subject, detail string, evidence ...Evidence) {
	r.Report(Finding{Severity: r.rule.Severity, Subject: subject, Detail: detail, Evidence: evidence})
}

// now is the latest packet time so far, ns since the Unix epoch.
func (r *Reporter) now() int64 { return r.engine.now }

// isPort says whether the user said that a port is Pulsar's.
func (r *Reporter) isPort(port uint16) bool { return slices.Contains(r.engine.options.Ports, port) }
