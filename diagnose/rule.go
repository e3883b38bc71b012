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

	// What the rule looks at, the less the better: frames of these types,
	// exchanges in any of these sets, and events of other kinds. RunEnd comes to
	// all.
	Frames    []pb.BaseCommand_Type
	Exchanges []Exchanges
	Kinds     []session.Kind

	// Start makes the state of the rule for one run, and gives what is called
	// for each event. A rule may do without.
	Start func(*Reporter) Watch

	// Follow sets watchers on what follows deliveries (Reporter.Dispatch). Most
	// rules do without.
	Follow func(*Reporter)
}

// AllFrames asks for frames of every type, also of unknown ones. OddFrames asks
// for those of them that have an issue, a fault in their payload part, no
// checksum or a wrong one, or a type that is not known.
const (
	AllFrames pb.BaseCommand_Type = -1
	OddFrames pb.BaseCommand_Type = -2
)

// Exchanges is a set of exchanges: those of these kinds with these results. nil
// stands for all.
type Exchanges struct {
	Kinds   []session.ExchangeKind
	Results []session.Result
}

// exchangesOf is the set of the exchanges of some kinds with any result.
func exchangesOf(kinds ...session.ExchangeKind) []Exchanges { return []Exchanges{{Kinds: kinds}} }

// exchangesWith is the set of the exchanges of a kind with some results.
func exchangesWith(kind session.ExchangeKind, results ...session.Result) []Exchanges {
	return []Exchanges{{[]session.ExchangeKind{kind}, results}}
}

// Watch looks at an event, which is borrowed.
type Watch func(e *session.Event)

// Reporter takes the findings of one rule.
type Reporter struct {
	Thresholds *Thresholds
	engine     *Engine
	rule       *Rule
}

// Report takes a finding. Rule, and what is empty of severity, title and
// advice, are filled in; the same again is folded into the first. It gives the
// finding as it is kept, which its rule may go on with: nil where there are too
// many.
func (r *Reporter) Report(f Finding) *Finding {
	f.Rule = r.rule
	return r.engine.take(f)
}

// repeated counts one more of a finding that is there already with as many
// frames as it may have, and says whether it is: then there is nothing to be
// said about it.
func (r *Reporter) repeated(severity Severity, title string, subject Subject) bool {
	f := r.engine.found[foldKey{r.rule, severity, title, subject}]
	if f == nil || len(f.Evidence) < evidenceKept {
		return false
	}
	f.Count++
	return true
}

// Warn reports a finding of the rule's usual severity.
func (r *Reporter) Warn(subject Subject, detail string, evidence ...Evidence) {
	r.Report(Finding{Severity: r.rule.Severity, Subject: subject, Detail: detail, Evidence: evidence})
}

// now is the latest packet time so far, ns since the Unix epoch.
func (r *Reporter) now() int64 { return r.engine.clock.Now() }

// isPort says whether the user said that a port is Pulsar's.
func (r *Reporter) isPort(port uint16) bool { return slices.Contains(r.engine.options.Ports, port) }
