package main

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/render"
	"pulsar-dissect/render/filter"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
	"pulsar-dissect/session/summary"
)

// diagnosis runs rules over a run, and gives a face what they find. A nil one
// does nothing.
type diagnosis struct {
	engine   *diagnose.Engine
	face     render.Diagnosed
	records  *render.JSON // as expressions see findings
	buf      []byte
	filter   *filter.Filter
	shown    map[int]bool   // connections of which something meets the filters; nil: all
	met      map[party]bool // the same of consumers; nil: all
	least    diagnose.Severity
	findings bool       // are looked for, not only verdicts made
	files    *fileSpans // nil where there is one file

	alerted render.Alerted            // shows findings as they are found; nil: all at the end
	heard   []func(*diagnose.Finding) // are told of each of them

	at    decode.Position // of the event at hand
	err   error           // of writing
	worst severity        // of what was found
}

// party names a consumer: its connection, and its number there.
type party struct {
	conn int
	id   uint64
}

// newDiagnosis makes what the view needs; nil if that is nothing.
func (v *view) newDiagnosis(o *options, ro *render.Options, sink render.Sink) *diagnosis {
	face, ok := sink.(render.Diagnosed)
	if !ok || !v.diagnoses(o) {
		return nil
	}
	d := &diagnosis{
		face: face, records: render.NewJSON(ro.JSON()), filter: &o.filter, least: o.looked.least, findings: v.needs.findings,
	}
	d.engine = diagnose.New(diagnose.Options{Rules: v.rulesFor(o), Thresholds: o.looked.thresholds, Dispatch: o.limits.dispatch, Ports: o.ports, Found: d.alert})
	if ro.Live {
		d.alerted, _ = sink.(render.Alerted)
	}
	if o.filter.HasPlaces() {
		d.shown, d.met = map[int]bool{}, map[party]bool{}
	}
	if v.needs.verdicts {
		d.engine.Dispatch().Watch(dispatch.Watcher{Ended: d.consumer})
	}
	return d
}

// diagnoses says whether rules are run: not where the filters are about frames
// alone. Where reading may end before the capture does, they would take that for
// what has happened.
func (v *view) diagnoses(o *options) bool {
	whole := o.first == 0 || v.counted != nil
	return (v.needs.findings || v.needs.verdicts) && whole && !o.looked.none && !o.filter.OnlyFrames()
}

// rulesFor are the rules that a view looks for.
func (v *view) rulesFor(o *options) []*diagnose.Rule {
	switch {
	case !v.needs.findings:
		return []*diagnose.Rule{}
	case o.looked.rules != nil:
		return o.looked.rules
	case v.rules != nil:
		return v.rules()
	}
	return diagnose.Rules
}

// add looks at an event.
func (d *diagnosis) add(e *session.Event) error {
	if d == nil {
		return nil
	}
	d.at = e.At
	d.place(e)
	d.engine.Add(e)
	return d.err
}

// place notes the connection and the consumer of an event that meets the filters.
func (d *diagnosis) place(e *session.Event) {
	if d.shown == nil {
		return
	}
	who, noted := party{conn: e.Conn.ID}, d.shown[e.Conn.ID]
	if e.Consumer != nil {
		who.id = e.Consumer.ID
		noted = noted && d.met[who]
	}
	if noted || !d.filter.MatchPlace(e) {
		return
	}
	d.shown[e.Conn.ID] = true
	if e.Consumer != nil {
		d.met[who] = true
	}
}

// isShown says whether the filters let something of a connection through; of
// none, -1, always.
func (d *diagnosis) isShown(conn int) bool { return d.shown == nil || conn < 0 || d.shown[conn] }

// consumer hands a verdict on.
func (d *diagnosis) consumer(c *dispatch.Consumer, v *dispatch.Verdict) {
	if d.err != nil || d.met != nil && !d.met[party{c.Conn.ID, c.ID}] {
		return
	}
	if !d.filter.Empty() {
		if d.buf = d.records.AppendConsumer(d.buf[:0], v, d.at); !d.filter.MatchRecord(d.buf) {
			return
		}
	}
	d.err = d.face.Consumer(v, d.at)
}

// idle has rules look at what lasts, since nothing has come up to a time, in ns
// since the Unix epoch.
func (d *diagnosis) idle(now int64) {
	if d != nil {
		d.engine.Idle(now)
	}
}

// alert hands a finding on as it is found.
func (d *diagnosis) alert(f *diagnose.Finding) {
	if d.err != nil || d.alerted == nil && len(d.heard) == 0 || f.Severity < d.least || !d.wanted(f) {
		return
	}
	for _, hear := range d.heard {
		if !f.Again {
			hear(f)
		}
	}
	if d.alerted != nil {
		d.err = d.alerted.Found(f)
	}
}

// finish ends the run and hands the findings on.
func (d *diagnosis) finish() error {
	if d == nil {
		return nil
	}
	all := d.engine.Finish()
	if d.files != nil {
		d.files.locate(all)
	}
	if d.err != nil || !d.findings {
		return d.err
	}
	shown := all[:0:0]
	for _, f := range all {
		if !d.wanted(f) {
			continue
		}
		d.worst = severity{max(d.worst.of, f.Severity), true}
		if f.Severity >= d.least {
			shown = append(shown, f)
		}
	}
	return d.face.Findings(&render.Diagnosis{Found: shown, Hits: d.hits(), Stand: d.engine.Dispatch().Standings()})
}

// hits are the limits of the diagnosis.
func (d *diagnosis) hits() []summary.Hit {
	n := d.engine.Dispatch().Counters()
	return []summary.Hit{
		{Name: "findings", What: "findings not kept, since their rule had so many already", Count: d.engine.Dropped},
		{Name: "dispatch_entries", What: "deliveries forgotten: one more of them would count as the first", Count: n.Entries, Usual: true},
		{Name: "dispatch_waiting", What: "entries of which it is not known whether they were delivered", Count: n.Owed},
		{Name: "dispatch_sends", What: "SENDs whose entries are not waited for", Count: n.Sends},
	}
}

// wanted says whether the filters let a finding through: they meet something of
// its connection, and its topic where it names one, and its record meets the
// expressions.
func (d *diagnosis) wanted(f *diagnose.Finding) bool {
	conn := f.Subject.ConnID
	if conn < 0 && len(f.Evidence) > 0 {
		conn = f.Evidence[0].ConnID
	}
	if topic := f.Subject.Topic; !d.isShown(conn) || topic != "" && !d.filter.MatchTopic(topic) {
		return false
	}
	if d.filter.Empty() {
		return true
	}
	d.buf = d.records.AppendFinding(d.buf[:0], f)
	return d.filter.MatchRecord(d.buf)
}

// fails says whether a finding is as severe as the user said, or more.
func (d *diagnosis) fails(on severity) bool {
	return d != nil && on.set && d.worst.set && d.worst.of >= on.of
}
