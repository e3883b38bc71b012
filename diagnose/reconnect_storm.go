package diagnose

import (
	"fmt"
	"slices"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var reconnectStorm = &Rule{
	Name:     "reconnect-storm",
	Severity: Warning,
	Title:    "Client connects over and over",
	Meaning: "One host opens connection after connection to one broker, and none of them brings a new producer or consumer, nor just asks " +
		"and goes: the client fails each time, or loses what it had and begins anew.",
	Advice: "Look at what ends these connections or is refused on them (other findings tell), and see that the client backs off between attempts " +
		"and is made once, not per message.",
	Blind:     "Several processes on one host, or behind one NAT, look like one client.",
	Frames:    []pb.BaseCommand_Type{pb.BaseCommand_CONNECT},
	Exchanges: exchangesOf(session.Request),
	Kinds:     []session.Kind{session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		w := &stormWatch{r: r, made: map[string]bool{}, conns: perConn[attempt]{}, pairs: map[string]*attempts{}}
		return w.see
	},
}

// Limits of what a storm is told by.
const (
	attemptsKept = 100_000 // of one client host at one server
	pairsKept    = 10_000
)

type stormWatch struct {
	r     *Reporter
	made  map[string]bool // producers and consumers that there were before
	conns perConn[attempt]
	pairs map[string]*attempts
	order []*attempts
}

// attempt is one connection.
type attempt struct {
	connect Evidence
	new     bool // it brought a producer or consumer that was not there before
	again   bool // it brought one that was
	asked   bool // a request was answered ...
	failed  bool // ... and one was not, or refused
}

// served says whether a client got what it came for: producer, consumer, or
// answers to questions, after which it went by itself.
func (a *attempt) served(c *session.Conn) bool {
	end, closed := endingOf(c)
	return a.new || a.asked && !a.failed && !a.again && closed && end.by == decode.ClientToServer
}

// attempts are the connections of one client host to one server that brought
// nothing new.
type attempts struct {
	subject Subject
	list    []attempt
}

func (w *stormWatch) see(e *session.Event) {
	switch e.Kind {
	case session.FrameSeen:
		w.conns.of(e.Conn).connect = here(e)
	case session.ExchangeSeen:
		if a := w.conns[e.Conn.ID]; a != nil && e.Exchange.Kind == session.Request {
			w.answered(a, e)
		}
	case session.ConnectionEnd:
		if a := w.conns.end(e.Conn); a != nil && !a.served(e.Conn) {
			w.keep(e.Conn, *a)
		}
	case session.RunEnd:
		for _, p := range w.order {
			w.judge(p)
		}
	}
}

func (w *stormWatch) answered(a *attempt, e *session.Event) {
	if e.Exchange.Result != session.OK {
		a.failed = true
		return
	}
	a.asked = true
	w.opened(a, e)
}

// opened takes the answer to PRODUCER or SUBSCRIBE.
func (w *stormWatch) opened(a *attempt, e *session.Event) {
	var name string
	switch pb.BaseCommand_Type(e.Exchange.Request.Type) {
	case pb.BaseCommand_PRODUCER:
		name = "p\x00" + e.Producer.Topic + "\x00" + e.Producer.Name
	case pb.BaseCommand_SUBSCRIBE:
		name = "c\x00" + e.Consumer.Topic + "\x00" + e.Consumer.Subscription + "\x00" + e.Consumer.Name
	default:
		return
	}
	if w.made[name] {
		a.again = true
		return
	}
	a.new = true
	note(w.made, name)
}

func (w *stormWatch) keep(c *session.Conn, a attempt) {
	s := pair(c)
	p := w.pairs[s.Conn]
	if p == nil {
		if len(w.order) == pairsKept {
			return
		}
		p = &attempts{subject: s}
		w.pairs[s.Conn], w.order = p, append(w.order, p)
	}
	if len(p.list) < attemptsKept {
		p.list = append(p.list, a)
	}
}

// judge finds the densest time of the attempts.
func (w *stormWatch) judge(p *attempts) {
	slices.SortFunc(p.list, func(a, b attempt) int { return int(a.connect.Packet) - int(b.connect.Packet) })
	most, from := 0, 0
	for first, next := 0, 0; next < len(p.list); next++ {
		for p.list[next].connect.Time-p.list[first].connect.Time > int64(w.r.Thresholds.ReconnectWindow) {
			first++
		}
		if n := next - first + 1; n > most {
			most, from = n, first
		}
	}
	if most < w.r.Thresholds.ReconnectCount {
		return
	}
	again := 0
	evidence := []Evidence{}
	for _, a := range p.list[from : from+most] {
		if a.again {
			again++
		}
		evidence = append(evidence, a.connect)
	}
	took := evidence[most-1].Time - evidence[0].Time
	w.r.Warn(p.subject, fmt.Sprintf("%s within %s from %s on brought no new producer or consumer (%d of them made one again), %d in the whole capture.",
		counted(most, "connection"), lasting(took), clock(evidence[0].Time), again, len(p.list)), evidence...)
}
