package diagnose

import (
	"fmt"
	"maps"
	"slices"

	"pulsar-dissect/session"
)

var sendSlow = &Rule{
	Name:     "send-slow",
	Severity: Warning,
	Title:    "Answers to SEND come late",
	Meaning: "The time from SEND to SEND_RECEIPT is that of the way, the broker and its storage. A client with a full queue of pending messages " +
		"blocks its application meanwhile.",
	Advice: "Compare with the time of other requests on the connection: if only SENDs are slow, look at bookies (journal disks, fsync) and at publish " +
		"rate limits; if all are, at the broker (garbage collection) and the network.",
	Blind: "Which part of the time the network, the broker and the bookies took, unless they were captured as well.",
	Kinds: []session.Kind{session.ExchangeSeen, session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		w := &slowSendWatch{r: r, conns: perConn[map[uint64]*slowSends]{}}
		return w.see
	},
}

type slowSendWatch struct {
	r     *Reporter
	conns perConn[map[uint64]*slowSends] // by producer_id
}

// slowSends counts the answers to a producer. More than 1% over a time says
// that the 99th percentile is over it.
type slowSends struct {
	subject     Subject
	count, slow int
	slowest     int64 // ns
	evidence    []Evidence
}

func (w *slowSendWatch) see(e *session.Event) {
	switch e.Kind {
	case session.ExchangeSeen:
		wait, ok := e.Exchange.Latency()
		if e.Exchange.Kind == session.Send && ok && e.Producer != nil && orderly(e.Conn) {
			w.of(e).add(w.r, e, wait)
		}
	case session.ConnectionEnd:
		producers := deref(w.conns.end(e.Conn))
		for _, id := range slices.Sorted(maps.Keys(producers)) {
			w.judge(producers[id])
		}
	}
}

func (w *slowSendWatch) of(e *session.Event) *slowSends {
	producers := w.conns.of(e.Conn)
	if *producers == nil {
		*producers = map[uint64]*slowSends{}
	}
	p := (*producers)[e.Producer.ID]
	if p == nil {
		p = &slowSends{}
		(*producers)[e.Producer.ID] = p
	}
	return p
}

func (p *slowSends) add(r *Reporter, e *session.Event, wait int64) {
	p.count++
	if wait <= int64(r.Thresholds.SlowQuantile) {
		return
	}
	p.slow++
	if wait > p.slowest {
		p.slowest, p.evidence, p.subject = wait, sides(e.Conn, e.Exchange), about(e)
	}
}

func (w *slowSendWatch) judge(p *slowSends) {
	limit := int64(w.r.Thresholds.SlowQuantile)
	f := Finding{Severity: Warning, Subject: p.subject, Evidence: p.evidence}
	f.Detail = fmt.Sprintf("%d of %s to SEND took longer than %s, the slowest one %s.", p.slow, counted(p.count, "answer"), lasting(limit), lasting(p.slowest))
	switch {
	case p.slow == 0:
		return
	case p.slowest > int64(w.r.Thresholds.SlowOne):
	case p.count >= w.r.Thresholds.SlowQuantileCount && p.slow*100 > p.count:
		f.Detail += " The 99th percentile is over that."
	default:
		f.Severity, f.Title = Info, "An answer to SEND came late"
	}
	w.r.Report(f)
}
