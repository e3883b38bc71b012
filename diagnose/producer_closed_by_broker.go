package diagnose

import (
	"fmt"
	"slices"

	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var producerClosedByBroker = &Rule{
	Name:     "producer-closed-by-broker",
	Severity: Info,
	Title:    "Broker closed a producer",
	Meaning: "A broker closes producers when it unloads or deletes the topic, moves its bundle to another broker, ends the topic, or cannot write to it. " +
		"Clients open them again, at the assigned broker where the broker names one; until then SENDs wait.",
	Advice: "Nothing, after a planned unload or move, if the producer came back soon. Otherwise look at what refused it (producer-refused), and at the load " +
		"balancer if it happens again and again (unload-loop).",
	Blind:     "Why the broker closed it.",
	Frames:    []pb.BaseCommand_Type{pb.BaseCommand_CLOSE_PRODUCER},
	Exchanges: exchangesWith(session.Request, session.OK),
	Start: func(r *Reporter) Watch {
		w := &closedWatch{r: r, away: map[string]*dismissal{}}
		return w.see
	},
}

type closedWatch struct {
	r     *Reporter
	away  map[string]*dismissal // producers that are not back
	order []*dismissal
}

func (w *closedWatch) see(e *session.Event) {
	switch e.Kind {
	case session.FrameSeen:
		if c, ok := dismissalOf(e); ok && w.away[c.key] == nil && len(w.away) < producersKept {
			w.keep(&c)
		}
	case session.ExchangeSeen:
		x := e.Exchange
		if x.Kind == session.Request && x.Result == session.OK && x.Request.Type == int32(pb.BaseCommand_PRODUCER) && e.Producer != nil {
			w.back(e)
		}
	case session.RunEnd:
		for _, c := range slices.DeleteFunc(w.order, w.isBack) {
			w.lost(c)
		}
	}
}

func (w *closedWatch) keep(c *dismissal) {
	if len(w.order) > 2*len(w.away)+64 {
		w.order = slices.DeleteFunc(w.order, w.isBack)
	}
	w.away[c.key] = c
	w.order = append(w.order, c)
}

func (w *closedWatch) isBack(c *dismissal) bool { return w.away[c.key] != c }

func (w *closedWatch) back(e *session.Event) {
	key := producerNameKey(e.Producer)
	c := w.away[key]
	if c == nil {
		return
	}
	delete(w.away, key)
	took := e.Exchange.Response.Time - c.evidence.Time
	f := Finding{Severity: Info, Subject: c.subject, Evidence: []Evidence{c.evidence, frame(e.Conn, &e.Exchange.Response)}}
	f.Detail = fmt.Sprintf("%s closed the producer of %s at %s%s; it was open again at %s %s later.", c.broker, c.subject.Topic, clock(c.evidence.Time), c.to(),
		server(e.Conn), lasting(took))
	if took > int64(w.r.Thresholds.ProducerBack) {
		f.Severity, f.Title = Warning, "Broker closed a producer, and it came back late"
	}
	w.r.Report(f)
}

func (w *closedWatch) lost(c *dismissal) {
	age := w.r.now() - c.evidence.Time
	f := Finding{Severity: Info, Subject: c.subject, Evidence: []Evidence{c.evidence}}
	f.Detail = fmt.Sprintf("%s closed the producer of %s at %s%s; it was not open again in the %s until the capture ended.", c.broker, c.subject.Topic,
		clock(c.evidence.Time), c.to(), lasting(age))
	if age > int64(w.r.Thresholds.ProducerBack) && c.named {
		f.Severity, f.Title = Warning, "Broker closed a producer, and it did not come back"
	}
	w.r.Report(f)
}
