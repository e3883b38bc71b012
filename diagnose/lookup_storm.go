package diagnose

import (
	"fmt"

	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var lookupStorm = &Rule{
	Name:     "lookup-storm",
	Severity: Warning,
	Title:    "More lookups at a time than brokers take",
	Meaning: "A client has very many lookups in flight, or the broker refuses them with TooManyRequests (maxConcurrentLookupRequest). Refused ones " +
		"are tried again, which keeps the storm going; after 50 refusals within 30 s clients close the connection.",
	Advice: "Start consumers and producers of many topics bit by bit, lower maxConcurrentLookupRequests on the client, and look for what makes all of " +
		"them look up at once: a broker restart, an unload of a bundle with many topics.",
	Blind:     "Lookups of other clients at the same broker.",
	Frames:    []pb.BaseCommand_Type{pb.BaseCommand_LOOKUP, pb.BaseCommand_PARTITIONED_METADATA},
	Exchanges: exchangesOf(session.Request),
	Kinds:     []session.Kind{session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		w := &lookupWatch{r: r, conns: perConn[lookupLoad]{}, refused: map[string]*refusals{}}
		return w.see
	},
}

type lookupWatch struct {
	r       *Reporter
	conns   perConn[lookupLoad]
	refused map[string]*refusals // by client host and server
}

// lookupLoad counts the lookups of a connection.
type lookupLoad struct {
	inFlight, most int
	first, last    Evidence // the first one in flight when most were, and the last
	since          Evidence // the first one since none was in flight
}

// refusals are the latest TooManyRequests.
type refusals struct {
	latest []Evidence
}

func (w *lookupWatch) see(e *session.Event) {
	switch e.Kind {
	case session.FrameSeen:
		w.conns.of(e.Conn).ask(e)
	case session.ExchangeSeen:
		w.answered(e)
	case session.ConnectionEnd:
		if l := w.conns.end(e.Conn); l != nil && l.most >= w.r.Thresholds.LookupsInFlight {
			w.r.Warn(pair(e.Conn), fmt.Sprintf("%s had %d lookups in flight at %s at once, begun within %s from %s on.", clientHost(e.Conn), l.most, server(e.Conn),
				lasting(l.last.Time-l.first.Time), clock(l.first.Time)), l.first, l.last)
		}
	}
}

func (l *lookupLoad) ask(e *session.Event) {
	if l.inFlight == 0 {
		l.since = here(e)
	}
	if l.inFlight++; l.inFlight > l.most {
		l.most, l.first, l.last = l.inFlight, l.since, here(e)
	}
}

func (w *lookupWatch) answered(e *session.Event) {
	x := e.Exchange
	if x.Kind != session.Request || !isLookup(x) {
		return
	}
	if l := w.conns[e.Conn.ID]; l != nil && l.inFlight > 0 {
		l.inFlight--
	}
	if x.Error == "TooManyRequests" && x.HasResponse {
		w.tooMany(e)
	}
}

// tooMany keeps as many refusals as make a storm, and tells of it when they
// came close together.
func (w *lookupWatch) tooMany(e *session.Event) {
	s := pair(e.Conn)
	p := w.refused[s.Conn]
	if p == nil {
		if len(w.refused) >= pairsKept {
			return
		}
		p = &refusals{}
		w.refused[s.Conn] = p
	}
	enough := w.r.Thresholds.LookupRefusals
	if p.latest = append(p.latest, frame(e.Conn, &e.Exchange.Response)); len(p.latest) > enough {
		p.latest = append(p.latest[:0], p.latest[1:]...)
	}
	if took := p.latest[len(p.latest)-1].Time - p.latest[0].Time; len(p.latest) == enough && took <= int64(w.r.Thresholds.LookupWindow) {
		w.r.Report(Finding{Severity: Warning, Title: "TooManyRequests", Subject: s, Evidence: p.latest,
			Detail: fmt.Sprintf("%s refused %d lookups of %s with TooManyRequests within %s from %s on.", server(e.Conn), enough, clientHost(e.Conn),
				lasting(took), clock(p.latest[0].Time))})
		p.latest = nil
	}
}
