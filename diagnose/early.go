package diagnose

import (
	"time"

	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

// Tick comes to rules that want it once a second of packet time, and at
// Engine.Idle, to see what lasts. Its event has a time and nothing else; without somebody who wants to
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
	e.lookAtLasting(ev)
}

func (e *Engine) lookAtLasting(ev *session.Event) {
	at := session.Event{Kind: Tick, Conn: ev.Conn, At: ev.At}
	for _, w := range e.watches.byKind[Tick] {
		w(&at)
	}
}

// Idle lets rules look at what lasts at a time, ns since the Unix epoch, up to
// which no event has come. Findings that are told then are so far what they are
// (Finding.SoFar): the packets that follow may have been on their way. Nothing of
// what is told and found later depends on it.
func (e *Engine) Idle(now int64) {
	quiet := now - e.clock.Now()
	if e.options.Found == nil || e.last.Conn == nil || quiet < int64(tickEvery) || now >= e.idled && now-e.idled < int64(tickEvery) {
		return
	}
	e.idled, e.idling = now, true
	was := e.clock
	e.clock.Advance(now)
	e.lookAtLasting(&e.last)
	if e.dispatch != nil {
		e.dispatch.Idle(now)
	}
	e.clock, e.idling = was, false
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
// the run. It says whether that was all: what is told while nothing comes is to be
// told again by the time of packets.
func (r *Reporter) Early(f Finding) (done bool) {
	e := r.engine
	f.Rule = r.rule
	f.complete()
	switch {
	case e.options.Found == nil || e.found[foldKey{f.Rule, f.Severity, f.Title, f.Subject}] != nil:
	case e.idling:
		e.tellSoFar(f)
	default:
		e.tellEarly(f)
	}
	return !e.idling
}

func (e *Engine) tellEarly(f Finding) {
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
	f.Again = e.wasSoFar(&f)
	*told = f
	e.options.Found(told)
}

// tellSoFar tells of what was not told so, or not as severe.
func (e *Engine) tellSoFar(f Finding) {
	key := earlyKey{f.Rule, f.Title, f.Subject}
	early, told := e.early[key], e.soFar[key]
	if early != nil && early.Severity >= f.Severity || told != nil && told.Severity >= f.Severity || told == nil && len(e.soFar) >= earlyKept {
		return
	}
	f.SoFar = true
	e.soFar[key] = &f
	e.options.Found(&f)
}

// wasSoFar says whether a finding was told while nothing came, as severe.
func (e *Engine) wasSoFar(f *Finding) bool {
	told := e.soFar[earlyKey{f.Rule, f.Title, f.Subject}]
	return told != nil && told.Severity >= f.Severity
}

// over forgets that something was told before it was over.
func (e *Engine) over(key earlyKey) {
	delete(e.early, key)
	delete(e.soFar, key)
}

// Over takes back that something goes on: it is over, and was not what it looked
// like.
func (r *Reporter) Over(title string, subject Subject) {
	if title == "" {
		title = r.rule.Title
	}
	r.engine.over(earlyKey{r.rule, title, subject})
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
