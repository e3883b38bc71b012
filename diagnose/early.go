package diagnose

import (
	"time"

	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

// Tick comes to rules that want it once a second of packet time, to see what
// lasts. Its event has a time and nothing else; without somebody who wants to
// know findings as they are found (Options.Found) it does not come.
const Tick session.Kind = 254

// tickEvery is how often, of packet time.
const tickEvery = time.Second

// tick lets rules look at what lasts, when it is time.
func (e *Engine) tick(ev *session.Event) {
	now := e.clock.Now()
	if e.options.Found == nil || now >= e.ticked && now-e.ticked < int64(tickEvery) {
		return
	}
	e.ticked = now
	at := session.Event{Kind: Tick, Conn: ev.Conn, At: ev.At}
	for _, w := range e.watches.byKind[Tick] {
		w(&at)
	}
}

// earlyKept bounds the findings that are told before what they are about is over.
const earlyKept = 10_000

// earlyKey names such a finding. Its severity may rise while it lasts.
type earlyKey struct {
	rule    *Rule
	title   string
	subject Subject
}

// Early tells of something that is certain and goes on, once, and again when it
// gets more severe. What there is to be said in the end is for Report, which then
// does not tell it anew; a finding that is only told early is not among those of
// the run.
func (r *Reporter) Early(f Finding) {
	e := r.engine
	if e.options.Found == nil {
		return
	}
	f.Rule = r.rule
	f.complete()
	if e.found[foldKey{f.Rule, f.Severity, f.Title, f.Subject}] != nil {
		return
	}
	key := earlyKey{f.Rule, f.Title, f.Subject}
	told := e.early[key]
	switch {
	case told == nil && len(e.early) >= earlyKept:
		return
	case told == nil:
		told = &Finding{}
		e.early[key] = told
	case told.Severity >= f.Severity:
		*told = f
		return
	}
	*told = f
	e.options.Found(told)
}

// Over takes back that something goes on: it is over, and was not what it looked
// like.
func (r *Reporter) Over(title string, subject Subject) {
	if title == "" {
		title = r.rule.Title
	}
	delete(r.engine.early, earlyKey{r.rule, title, subject})
}

// stalls reports what a rule makes of the stalls of subscriptions, early where
// they go on.
func (r *Reporter) stalls(judge func(*dispatch.Stall) (Finding, bool)) {
	early := map[*dispatch.Subscription]Subject{}
	r.Dispatch().Watch(dispatch.Watcher{
		Stalled: func(s *dispatch.Stall) {
			f, ok := judge(s)
			if ok {
				r.Report(f)
			}
			if told, was := early[s.Sub]; was {
				delete(early, s.Sub)
				r.Over("", told)
			}
		},
		Stalling: r.ifHeard(func(s *dispatch.Stall) {
			if f, ok := judge(s); ok && len(early) < earlyKept {
				early[s.Sub] = f.Subject
				r.Early(f)
			}
		}),
	})
}

// ifHeard is a hook that is wanted only where somebody hears of findings as they
// are found.
func (r *Reporter) ifHeard(hook func(*dispatch.Stall)) func(*dispatch.Stall) {
	if r.engine.options.Found == nil {
		return nil
	}
	return hook
}
