package metrics

import (
	"sync/atomic"
	"time"

	"pulsar-dissect/capture"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

// Limits bounds what the wire can make labels of. Zero fields take the defaults.
type Limits struct {
	Topics int // with a label of their own: those that are seen first
}

// DefaultTopics is the default limit.
const DefaultTopics = 100

// Options say what a recorder counts.
type Options struct {
	Limits   Limits
	Version  string               // of this program
	Tracker  *dispatch.Tracker    // that follows the run; nil: the recorder has one of its own
	Dispatch dispatch.Limits      // of that
	Stats    func() capture.Stats // of the source, asked for in the goroutine of the pipeline
}

// Recorder counts a run. All methods but Handler are for the goroutine of the
// pipeline.
type Recorder struct {
	options Options
	counts  counts
	tracker *dispatch.Tracker
	own     bool // the tracker
	open    map[*session.Conn]struct{}
	conn    *session.Conn // of the event before

	events    int // since the clock was looked at
	published time.Time
	shared    atomic.Pointer[snapshot]
}

// New makes a recorder.
func New(o Options) *Recorder {
	r := &Recorder{options: o, tracker: o.Tracker, open: map[*session.Conn]struct{}{}}
	if r.tracker == nil {
		r.tracker, r.own = dispatch.New(o.Dispatch), true
	}
	r.tracker.Watch(dispatch.Watcher{Delivered: r.delivered})
	r.counts = newCounts(o.Limits)
	r.publish(time.Now())
	return r
}

// lookEvery is after how many events the clock is looked at, and publishEvery the
// least time between two publications: a scrape is rarely due more often, and what
// consumers hold is added up anew each time.
const (
	lookEvery    = 1024
	publishEvery = time.Second
)

// Add counts an event.
func (r *Recorder) Add(e *session.Event) {
	if e.Conn != r.conn && e.Kind != session.TxnSeen { // that of a transaction may have ended
		r.open[e.Conn], r.conn = struct{}{}, e.Conn
	}
	r.counts.add(e)
	if r.own {
		r.tracker.Add(e)
	}
	if e.Kind == session.ConnectionEnd {
		delete(r.open, e.Conn)
		r.conn = nil
	}
	if r.events++; r.events >= lookEvery {
		r.Look()
	}
}

// Found counts a finding that is told.
func (r *Recorder) Found(f *diagnose.Finding) { r.counts.found(f) }

func (r *Recorder) delivered(d *dispatch.Delivery) {
	if d.Again != dispatch.FirstTime || d.Count > 0 {
		r.counts.topics.of(d.Consumer.Topic).redelivered += uint64(d.Messages)
	}
}

// Look publishes the counts, if it is time. It has to be called while no events
// come, every second or so.
func (r *Recorder) Look() {
	r.events = 0
	if now := time.Now(); now.Sub(r.published) >= publishEvery {
		r.publish(now)
	}
}

func (r *Recorder) publish(now time.Time) {
	r.published = now
	s := &snapshot{version: r.options.Version}
	if r.options.Stats != nil {
		s.source(r.options.Stats())
	}
	r.counts.topics.holdNothing()
	for c := range r.open {
		s.open[c.Protocol]++
		s.openTCP.add(c)
		r.hold(c)
	}
	s.counts = r.counts.clone()
	r.shared.Store(s)
}

// hold adds up what the consumers of a connection hold.
func (r *Recorder) hold(c *session.Conn) {
	for _, x := range c.Consumers {
		if x.Phase == session.Ended || x.Phase == session.Dismissed {
			continue
		}
		of := r.counts.topics.of(x.Topic)
		of.consumers++
		if x.Known { // else permits were granted that the capture does not have
			of.permits += x.Granted - x.Used
		}
		if d := r.tracker.Of(&session.Event{Consumer: x}); d != nil {
			of.unacked += d.Unacked()
		}
	}
}
