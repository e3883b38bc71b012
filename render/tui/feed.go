package tui

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pulsar-dissect/decode"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/render"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
	"pulsar-dissect/session/stats"
	"pulsar-dissect/session/trace"
)

// Limits bounds what a Feed keeps. Zero fields take the defaults.
type Limits struct {
	Events int // lines of the list of events, rounded up to a multiple of 1,024
	Bytes  int // of the latest frames, where they are kept: Options.Frames
	Rows   int // producers, consumers that have ended, connections, and findings: so many of each
}

// Options says how a Feed is to work.
type Options struct {
	Limits Limits
	Stats  stats.Limits  // of the counts of topics
	Frames bool          // the bytes of the latest are kept, since they cannot be read again
	Every  time.Duration // about so often there is a snapshot
	Start  *int64        // time of the first packet of the run, ns since the Unix epoch, set by the first event; nil: the first event's
}

// The default limits.
const (
	DefaultEvents = 100_000
	DefaultBytes  = 16 << 20
	DefaultRows   = 10_000
)

func (l Limits) withDefaults() Limits {
	if l.Events <= 0 {
		l.Events = DefaultEvents
	}
	if l.Bytes <= 0 {
		l.Bytes = DefaultBytes
	}
	if l.Rows <= 0 {
		l.Rows = DefaultRows
	}
	return l
}

// Times that snapshots are made by.
const (
	// lookEvery is after how many events the clock is looked at.
	lookEvery = 64
	// share is the part of the time that making snapshots may take: one in so many.
	share = 20
)

// Feed takes the events of a run, and makes snapshots for the screen. Its methods
// belong to the goroutine of the pipeline, unless they say otherwise.
type Feed struct {
	limits   Limits
	every    time.Duration // between snapshots
	now      func() time.Time
	due      time.Time // the next one
	cost     time.Duration
	changed  bool
	latest   atomic.Pointer[Snapshot]
	only     atomic.Pointer[func(*session.Event) bool]
	state    Snapshot // what is counted so far; its lists are empty
	unlooked int

	topics    *stats.Topics
	tracker   *dispatch.Tracker // nil: consumers are not followed
	start     *int64            // nil: the first event's
	producers map[partyKey]*producer

	producersFull, connectionsFull full

	connections map[int]*connection
	order       []*connection // oldest first
	ended       []ConsumerRow // consumers
	findings    []*diagnose.Finding
	log         *Log
	recent      *recent // nil: no bytes are kept
	held        Entry   // the latest event: what it answers comes behind it
	holds       bool

	told sync.Mutex // held while news are changed
	news []string
	said uint64
}

type partyKey struct {
	conn int
	Party
}

// NewFeed makes a feed.
func NewFeed(o Options) *Feed {
	l := o.Limits.withDefaults()
	f := &Feed{
		limits: l, every: o.Every, start: o.Start, now: time.Now, topics: stats.NewTopics(o.Stats), producers: map[partyKey]*producer{},
		connections: map[int]*connection{}, log: NewLog(l.Events),
	}
	if o.Frames {
		f.recent = newRecent(l.Bytes)
	}
	f.latest.Store(&Snapshot{})
	return f
}

// Follow tells who follows consumers. It is called before the first event.
func (f *Feed) Follow(t *dispatch.Tracker) { f.tracker = t }

// Latest is the latest snapshot. Any goroutine may call it.
func (f *Feed) Latest() *Snapshot { return f.latest.Load() }

// Only lists from now on only events that fit; nil: all. Any goroutine may call it.
func (f *Feed) Only(fits func(*session.Event) bool) {
	if fits == nil {
		f.only.Store(nil)
		return
	}
	f.only.Store(&fits)
}

// newsKept is how many lines of news are kept.
const newsKept = 100

// Tell takes news in words. Any goroutine may call it.
func (f *Feed) Tell(text string) {
	f.told.Lock()
	defer f.told.Unlock()
	f.news, f.said = append(f.news, text), f.said+1
	if n := len(f.news); n > newsKept {
		f.news = slices.Clone(f.news[n-newsKept:])
	}
}

// Event takes the next event.
func (f *Feed) Event(e *session.Event) error {
	f.changed = true
	f.count(e)
	f.list(e)
	if f.unlooked++; f.unlooked >= lookEvery {
		f.unlooked = 0
		if now := f.now(); !now.Before(f.due) {
			f.publish(now)
		}
	}
	return nil
}

// count counts an event.
func (f *Feed) count(e *session.Event) {
	s := &f.state
	s.Seen++
	if s.First == 0 {
		s.First = f.began(e)
	}
	s.Last = max(s.Last, e.At.Time)
	s.Now = s.Last
	f.topics.Add(e)
	switch e.Kind {
	case session.FrameSeen:
		s.Frames++
		if f.recent != nil {
			f.recent.add(e)
		}
		f.connectionFrame(e)
		f.producerFrame(e)
	case session.ExchangeSeen:
		f.producerExchange(e)
	case session.GapSeen, session.BytesSkipped:
		f.lost(e)
	case session.ConnectionEnd:
		f.connectionEnd(e)
	}
}

// began is when the run began: its first packet, where that is known.
func (f *Feed) began(e *session.Event) int64 {
	if f.start != nil && *f.start != 0 {
		return *f.start
	}
	return e.At.Time
}

// list adds the line of an event to the list.
func (f *Feed) list(e *session.Event) {
	if e.Kind == session.ExchangeSeen && f.answers(e.Exchange, e.Conn.ID) {
		return
	}
	if only := f.only.Load(); only != nil && !(*only)(e) {
		return
	}
	command, text, ok := render.BriefOf(e)
	if !ok {
		return
	}
	f.release()
	f.hold(e, command, text)
}

// answers adds to the latest line how long its answer took.
func (f *Feed) answers(x *session.Exchange, conn int) bool {
	if x.Result == session.Unanswered {
		return false
	}
	h := &f.held
	if !f.holds || !x.HasResponse || int(h.Conn) != conn || h.Offset != x.Response.Offset || h.Direction != x.Response.Direction {
		return true
	}
	if ns, ok := x.Latency(); ok && (!h.HasLatency || ns > h.Latency) {
		h.Latency, h.HasLatency = ns, true
	}
	if x.Result == session.Failed {
		h.Text.Style = render.Wrong
	}
	if x.HasID && !h.HasMessage {
		h.Message, h.HasMessage = trace.Entry{Ledger: x.ID.Ledger, Entry: x.ID.Entry}, true
	}
	return true
}

func (f *Feed) hold(e *session.Event, command string, text render.Cell) {
	f.holds = true
	f.held = Entry{
		Place: placeOf(e), Kind: e.Kind, Time: e.At.Time, NoTime: e.At.TimeUnknown, Packet: e.At.Packet,
		Party: partyOf(e), Topic: e.Topic(), Command: command, Text: text,
	}
	h := &f.held
	if e.Producer != nil {
		h.Producer = e.Producer.Name
	}
	if e.Kind == session.FrameSeen {
		h.Message, h.HasMessage = messageOf(e.Frame)
		h.Sequence, h.HasSequence = sequenceOf(e.Frame)
	}
}

// release puts the latest line into the list: nothing is added to it any more.
func (f *Feed) release() {
	if f.holds {
		f.holds = false
		f.log.add(&f.held)
	}
}

func partyOf(e *session.Event) Party {
	switch {
	case e.Producer != nil:
		return Party{e.Producer.ID, IsProducer}
	case e.Consumer != nil:
		return Party{e.Consumer.ID, IsConsumer}
	}
	return Party{}
}

// Consumer takes the verdict on a consumer that has ended.
func (f *Feed) Consumer(v *dispatch.Verdict, _ decode.Position) error {
	f.changed = true
	if len(f.ended) >= f.limits.Rows {
		f.ended = slices.Delete(f.ended, 0, len(f.ended)/4+1)
	}
	f.ended = append(f.ended, consumerRow(v))
	return nil
}

// Found takes a finding when it is found first.
func (f *Feed) Found(x *diagnose.Finding) error {
	f.changed = true
	i := slices.IndexFunc(f.findings, func(y *diagnose.Finding) bool { return x == y || y.SoFar && isSame(x, y) })
	switch {
	case i >= 0:
		f.findings[i] = x
	case len(f.findings) < f.limits.Rows:
		f.findings = append(f.findings, x)
	}
	return nil
}

// isSame says whether two findings are the same thing, of any severity.
func isSame(a, b *diagnose.Finding) bool {
	return a.Rule == b.Rule && a.Title == b.Title && a.Subject == b.Subject
}

// Findings takes those of the whole run.
func (f *Feed) Findings(d *render.Diagnosis) error {
	f.findings = d.Found
	return nil
}

// Idle makes a snapshot, since no event is at hand up to a time, ns since the Unix
// epoch.
func (f *Feed) Idle(at int64) error {
	f.changed = f.changed || at-f.state.Now >= int64(time.Second)
	f.state.Now = max(f.state.Now, at)
	if now := f.now(); f.changed && now.Sub(f.due.Add(-f.every)) >= share*f.cost {
		f.release()
		f.publish(now)
	}
	return nil
}

// Close makes the last snapshot.
func (f *Feed) Close(*render.End) error {
	f.release()
	f.state.Ended = true
	f.publish(f.now())
	return nil
}

// publish makes a snapshot and leaves it for the screen.
func (f *Feed) publish(now time.Time) {
	f.latest.Store(f.snapshot())
	f.changed = false
	f.cost = f.now().Sub(now)
	f.due = now.Add(max(f.every, share*f.cost))
}

func (f *Feed) snapshot() *Snapshot {
	f.state.Number++
	s := f.state
	s.Unjudged = f.tracker == nil
	s.Consumers = f.consumerRows()
	s.Topics = f.topicRows(s.Consumers)
	s.Producers = f.producerRows()
	s.Connections = f.connectionRows()
	s.Findings = f.findingRows()
	s.Events = f.log.View()
	s.Unlisted += f.topics.Overflown
	f.told.Lock()
	s.News, s.NewsSeen = slices.Clone(f.news), f.said
	f.told.Unlock()
	return &s
}

// findingRows are copies: a finding that is found again changes.
func (f *Feed) findingRows() []diagnose.Finding {
	rows := make([]diagnose.Finding, len(f.findings))
	for i, x := range f.findings {
		rows[i] = *x
		rows[i].Evidence = slices.Clone(x.Evidence)
	}
	return rows
}
