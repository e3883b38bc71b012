package diagnose

import (
	"fmt"

	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var abruptClose = &Rule{
	Name:     "abrupt-close",
	Severity: Warning,
	Title:    "Connection closed with requests in flight",
	Meaning: "The connection ended while SENDs or requests waited for an answer. Whether the broker carried them out is not known to " +
		"the client, which sends them again on its next connection or fails them.",
	Advice: "Look at the side that closed: a broker that stopped or gave the client up, a client that was killed or ran into a timeout, or, " +
		"for a RST, a machine or a firewall in between.",
	Blind:     "What a RST came from: a host, or something on the way that speaks for it.",
	Frames:    []pb.BaseCommand_Type{pb.BaseCommand_CLOSE_PRODUCER, pb.BaseCommand_CLOSE_CONSUMER, pb.BaseCommand_UNSUBSCRIBE},
	Exchanges: []Exchanges{{Results: []session.Result{session.Unanswered}}, {[]session.ExchangeKind{session.Request}, []session.Result{session.OK}}},
	Kinds:     []session.Kind{session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		conns := perConn[inFlight]{}
		return func(e *session.Event) {
			switch e.Kind {
			case session.FrameSeen:
				conns.of(e.Conn).closed(e)
			case session.ExchangeSeen:
				if x := e.Exchange; x.Result == session.Unanswered && x.Why == "conn_closed" && matters(x) {
					conns.of(e.Conn).add(e)
				} else if x.Kind == session.Request && x.Result == session.OK {
					conns.of(e.Conn).opened(e)
				}
			case session.ConnectionEnd:
				if p := conns.end(e.Conn); p != nil && complete(e.Conn) {
					closedWith(r, e.Conn, p)
				}
			}
		}
	},
}

// inFlight is what waited for an answer, or was open, when a connection was
// closed.
type inFlight struct {
	producers, consumers map[uint64]bool // open ones by id
	what                 tally
	oldest               int64 // ns
	topic                string
	topics               bool // of more than one
	evidence             []Evidence
}

// matters says whether losing the answer matters: who closes a producer and
// then the connection wants none.
func matters(x *session.Exchange) bool {
	t := pb.BaseCommand_Type(x.Request.Type)
	return x.Kind == session.Send || x.Kind == session.Request && t != pb.BaseCommand_CLOSE_PRODUCER && t != pb.BaseCommand_CLOSE_CONSUMER
}

func (p *inFlight) add(e *session.Event) {
	x := e.Exchange
	p.what.add(session.TypeName(&x.Request))
	if p.oldest == 0 || x.Request.Time < p.oldest {
		p.oldest = x.Request.Time
	}
	topic := e.Topic()
	if topic == "" {
		topic = x.Topic
	}
	p.topics = p.topics || p.topic != "" && p.topic != topic
	p.topic = topic
	if len(p.evidence) < evidenceKept-1 {
		p.evidence = append(p.evidence, frame(e.Conn, &x.Request))
	}
}

// opened notes a producer or consumer that the broker has opened.
func (p *inFlight) opened(e *session.Event) {
	switch pb.BaseCommand_Type(e.Exchange.Request.Type) {
	case pb.BaseCommand_PRODUCER:
		if p.producers == nil {
			p.producers = map[uint64]bool{}
		}
		p.producers[e.Producer.ID] = true
	case pb.BaseCommand_SUBSCRIBE:
		if p.consumers == nil {
			p.consumers = map[uint64]bool{}
		}
		p.consumers[e.Consumer.ID] = true
	}
}

// closed notes the end of a producer or consumer.
func (p *inFlight) closed(e *session.Event) {
	if e.Producer != nil {
		delete(p.producers, e.Producer.ID)
	}
	if e.Consumer != nil {
		delete(p.consumers, e.Consumer.ID)
	}
}

// open counts what was open, empty if nothing was.
func (p *inFlight) open() string {
	switch n, m := len(p.producers), len(p.consumers); {
	case n > 0 && m > 0:
		return counted(n, "producer") + " and " + counted(m, "consumer")
	case n > 0:
		return counted(n, "producer")
	case m > 0:
		return counted(m, "consumer")
	}
	return ""
}

// closedWith tells of a connection that was closed with requests in flight, or
// with producers and consumers open.
func closedWith(r *Reporter, c *session.Conn, p *inFlight) {
	end, closed := endingOf(c)
	open := p.open()
	f := Finding{Severity: Warning, Subject: onlyOne(about(&session.Event{Conn: c}), c), Detail: "At " + clock(end.at.Time) + " " + end.String()}
	switch {
	case !closed:
		return
	case len(p.evidence) > 0:
		f.Detail += fmt.Sprintf(" with %s in flight, the oldest for %s.", p.what.String(), lasting(end.at.Time-p.oldest))
		f.Evidence = p.evidence
		if !p.topics {
			f.Subject.Topic = p.topic
		}
	case open != "" && end.how == "RST":
		f.Title = "Connection reset with producers or consumers open"
		f.Detail += ", with nothing in flight."
	case open != "":
		f.Severity, f.Title = Info, "Connection closed with producers or consumers open"
		f.Detail += ", with nothing in flight and without closing them first."
	default:
		return
	}
	if open != "" {
		f.Detail += " Open on it: " + open + "."
	}
	f.Evidence = append(f.Evidence, end.evidence(c))
	r.Report(f)
}
