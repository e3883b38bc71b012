package diagnose

import (
	"fmt"
	"time"

	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var unloadLoop = &Rule{
	Name:     "unload-loop",
	Severity: Warning,
	Title:    "Broker closes the same producer or consumer again and again",
	Meaning: "The topic is unloaded as soon as it has been loaded: the load balancer moves its bundle to and fro, brokers do not agree on who owns it, or " +
		"the broker cannot write to it and gives it up each time.",
	Advice: "Look at load balancer settings (thresholds too close, bundles too large), at the brokers' view of ownership, and at bookies if SENDs are refused " +
		"with PersistenceError (send-rejected).",
	Blind:  "Why the broker closes it.",
	Frames: []pb.BaseCommand_Type{pb.BaseCommand_CLOSE_PRODUCER, pb.BaseCommand_CLOSE_CONSUMER, pb.BaseCommand_SEEK},
	Start: func(r *Reporter) Watch {
		w := &loopWatch{r: r, by: map[string]*dismissals{}, seeks: map[[2]string]int64{}}
		return w.see
	},
}

type loopWatch struct {
	r     *Reporter
	by    map[string]*dismissals
	seeks map[[2]string]int64 // ns, of the last SEEK by topic and subscription
	order []*dismissals
}

// dismissals are those of one producer or consumer. latest holds as many as make
// a loop.
type dismissals struct {
	dismissal
	count    int
	from, to int64 // ns
	latest   []Evidence
	loop     []Evidence // the first time that they came close together
}

func (w *loopWatch) see(e *session.Event) {
	switch e.Kind {
	case session.FrameSeen:
		if e.Frame.Is(int32(pb.BaseCommand_SEEK)) {
			w.seek(e)
		} else if c, ok := dismissalOf(e); ok && !w.sought(&c) {
			w.add(c)
		}
	case session.RunEnd:
		for _, c := range w.order {
			if c.loop != nil {
				w.r.Report(Finding{Severity: Warning, Subject: c.subject, Evidence: c.loop, Count: c.count,
					Detail: fmt.Sprintf("%s of %s was closed by the broker %d times from %s to %s, %d of them within %s.", c.what, c.subject.Topic, c.count,
						clock(c.from), clock(c.to), len(c.loop), lasting(c.loop[len(c.loop)-1].Time-c.loop[0].Time))})
			}
		}
	}
}

// seek notes a SEEK: for it the broker closes the consumers of the
// subscription.
func (w *loopWatch) seek(e *session.Event) {
	if e.Consumer != nil && len(w.seeks) < producersKept {
		w.seeks[[2]string{e.Consumer.Topic, e.Consumer.Subscription}] = e.At.Time
	}
}

func (w *loopWatch) sought(c *dismissal) bool {
	const soon = int64(5 * time.Second)
	at, ok := w.seeks[[2]string{c.subject.Topic, c.subject.Subscription}]
	return ok && c.what == "consumer" && c.evidence.Time-at < soon
}

func (w *loopWatch) add(x dismissal) {
	c := w.by[x.key]
	if c == nil {
		if len(w.order) == producersKept {
			return
		}
		c = &dismissals{dismissal: x, from: x.evidence.Time}
		w.by[x.key], w.order = c, append(w.order, c)
	}
	c.count++
	c.to = x.evidence.Time
	enough := w.r.Thresholds.UnloadCount
	if c.latest = append(c.latest, x.evidence); len(c.latest) > enough {
		c.latest = append(c.latest[:0], c.latest[1:]...)
	}
	if len(c.latest) == enough && c.to-c.latest[0].Time <= int64(w.r.Thresholds.UnloadWindow) && c.loop == nil {
		c.loop = append(c.loop, c.latest...)
	}
}
