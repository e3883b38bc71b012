package diagnose

import (
	"fmt"
	"maps"
	"slices"

	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var requestSlow = &Rule{
	Name:     "request-slow",
	Severity: Warning,
	Title:    "Requests wait long for their answer",
	Meaning: "A broker took long to answer a request other than SEND: lookups, subscribing, opening producers, seeking and so on. " +
		"Loading a topic, a slow metadata store and authentication are the usual causes.",
	Advice:    "Look at what kind of request it is: topics that load slowly point to the metadata store or to bookies, lookups to the load manager, CONNECT to authentication.",
	Blind:     "Which part of the broker was slow. A producer that waits for exclusive access is left out.",
	Exchanges: exchangesOf(session.Request, session.Connect, session.Watch),
	Kinds:     []session.Kind{session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		of := map[askedWhat]*slowness{}
		waits := perConn[map[uint64]bool]{}
		return func(e *session.Event) {
			switch {
			case e.Kind == session.RunEnd:
				r.slowRequests(of)
			case e.Kind == session.ConnectionEnd:
				waits.end(e.Conn)
			case e.Kind == session.ExchangeSeen && isRequest(e.Exchange.Kind):
				r.requestTime(e, of, waits)
			}
		}
	},
}

// askedWhat is a kind of request to a broker.
type askedWhat struct {
	subject Subject
	kind    int32
}

func isRequest(k session.ExchangeKind) bool {
	return k == session.Request || k == session.Connect || k == session.Watch
}

func (r *Reporter) requestTime(e *session.Event, of map[askedWhat]*slowness, waits perConn[map[uint64]bool]) {
	x := e.Exchange
	if x.Result == session.Intermediate {
		w := waits.of(e.Conn)
		if *w == nil {
			*w = map[uint64]bool{}
		}
		(*w)[x.RequestID] = true
		return
	}
	d, ok := latency(x)
	w := waits[e.Conn.ID]
	if !ok || !gapless(e.Conn) || w != nil && (*w)[x.RequestID] {
		return
	}
	key := askedWhat{pair(e.Conn), x.Request.Type}
	s := of[key]
	if s == nil {
		s = &slowness{}
		of[key] = s
	}
	s.add(r.Thresholds, d, e)
}

func (r *Reporter) slowRequests(of map[askedWhat]*slowness) {
	keys := slices.SortedFunc(maps.Keys(of), func(a, b askedWhat) int { return int(of[a].from.Packet) - int(of[b].from.Packet) })
	for _, k := range keys {
		s := of[k]
		if !s.slow(r.Thresholds) {
			continue
		}
		name := pb.BaseCommand_Type(k.kind).String()
		r.Report(Finding{Severity: Warning, Title: name + " waits long for its answer", Subject: k.subject,
			Detail: fmt.Sprintf("Of the requests %s %s to be answered.", name, s.words(r.Thresholds)), Evidence: s.evidence()})
	}
}
