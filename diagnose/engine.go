package diagnose

import (
	"cmp"
	"slices"

	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

// Options says what an engine looks for.
type Options struct {
	Rules      []*Rule // all of Rules where nil
	Thresholds Thresholds
	Dispatch   dispatch.Limits
	Ports      []uint16       // those that the user says are Pulsar's
	Found      func(*Finding) // called for each finding that is not folded into another, as it is found
}

// Limits of an engine.
const (
	evidenceKept   = 8      // frames of one finding
	findingsOfRule = 10_000 // findings of one rule; further ones are only counted
)

// Engine runs rules over the events of a session. It is used for one run.
type Engine struct {
	options Options
	watches watches
	found   map[foldKey]*Finding
	order   []*Finding
	ofRule  map[*Rule]int
	Dropped uint64 // findings not kept because a rule had too many
	last    session.Event
	slots   int                   // of notes, given to rules
	early   map[earlyKey]*Finding // told, and not over
	ticked  int64                 // ns since the Unix epoch
	soFar   map[earlyKey]*Finding // told while nothing came
	idling  bool                  // nothing comes
	idled   int64                 // ns since the Unix epoch

	dispatch  *dispatch.Tracker // nil: no rule wants it
	histories *histories        // nil: no rule wants them
	clock     dispatch.Clock
	legs      legs
}

type foldKey struct {
	rule     *Rule
	severity Severity
	title    string
	subject  Subject
}

// New makes an engine.
func New(o Options) *Engine {
	if o.Rules == nil {
		o.Rules = Rules
	}
	o.Thresholds = o.Thresholds.withDefaults()
	e := &Engine{options: o, watches: newWatches(), found: map[foldKey]*Finding{}, ofRule: map[*Rule]int{}, legs: legs{}, early: map[earlyKey]*Finding{}, soFar: map[earlyKey]*Finding{}}
	started := make([]Watch, len(o.Rules))
	for i, r := range o.Rules {
		if started[i] = e.start(r); started[i] != nil {
			e.watches.add(r, started[i])
		}
	}
	for i, r := range o.Rules {
		e.watches.addToAll(r, started[i])
	}
	return e
}

// start gives the watch of a rule, nil if it has none.
func (e *Engine) start(r *Rule) Watch {
	reporter := &Reporter{Thresholds: &e.options.Thresholds, engine: e, rule: r}
	if r.Follow != nil {
		r.Follow(reporter)
	}
	if r.Start == nil {
		return nil
	}
	return r.Start(reporter)
}

// Add looks at an event.
func (e *Engine) Add(ev *session.Event) {
	e.clock.See(ev)
	if e.dispatch != nil {
		e.dispatch.Add(ev)
	}
	if e.histories != nil {
		e.histories.see(ev)
	}
	for _, w := range e.watches.of(ev) {
		w(ev)
	}
	if ev.Kind == session.ConnectionEnd {
		e.legs.see(ev.Conn)
		e.letGo(ev.Conn)
	}
	e.tick(ev)
	e.last.At, e.last.Conn = ev.At, ev.Conn
}

// letGo drops what was kept at the producers and consumers of a connection that
// has ended: the connection itself may be remembered for long.
func (e *Engine) letGo(c *session.Conn) {
	if e.histories != nil {
		e.histories.connectionEnd(c)
	}
	for _, p := range c.Producers {
		p.State = nil
	}
	for _, x := range c.Consumers {
		x.State = nil
	}
}

// Finish ends the run and gives the findings, most severe first, then in the
// order of their first evidence.
func (e *Engine) Finish() []*Finding {
	if e.dispatch != nil {
		e.dispatch.Finish()
	}
	end := e.last
	end.Kind = session.RunEnd
	if end.Conn != nil { // else there was no event
		for _, w := range e.watches.end {
			w(&end)
		}
	}
	slices.SortStableFunc(e.order, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.start(), b.start()))
	})
	e.order = e.legs.fold(e.order)
	return e.order
}

// start is the packet of the first evidence.
func (f *Finding) start() uint64 {
	if len(f.Evidence) == 0 {
		return 0
	}
	return f.Evidence[0].Packet
}

// take folds a finding into an earlier one of the same subject, or keeps it.
func (e *Engine) take(f Finding) *Finding {
	f.complete()
	key := foldKey{f.Rule, f.Severity, f.Title, f.Subject}
	early := e.early[earlyKey{f.Rule, f.Title, f.Subject}]
	f.Again = e.wasSoFar(&f)
	e.over(earlyKey{f.Rule, f.Title, f.Subject})
	if first := e.found[key]; first != nil {
		first.Count += f.Count
		if room := evidenceKept - len(first.Evidence); room > 0 {
			first.Evidence = append(first.Evidence, f.Evidence[:min(room, len(f.Evidence))]...)
		}
		return first
	}
	if e.ofRule[f.Rule] >= findingsOfRule {
		e.Dropped++
		return nil
	}
	e.ofRule[f.Rule]++
	kept, told := early, early != nil && early.Severity >= f.Severity
	if kept == nil {
		kept = &Finding{}
	}
	*kept = f
	e.found[key] = kept
	e.order = append(e.order, kept)
	if e.options.Found != nil && !told {
		e.options.Found(kept)
	}
	return kept
}

// complete fills in what a rule need not say.
func (f *Finding) complete() {
	if f.Title == "" {
		f.Title = f.Rule.Title
	}
	if f.Advice == "" {
		f.Advice = f.Rule.Advice
	}
	f.Count = max(f.Count, 1)
	f.Evidence = f.Evidence[:min(evidenceKept, len(f.Evidence))]
}
