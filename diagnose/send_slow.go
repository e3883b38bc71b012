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
	Blind:     "Which part of the time the network, the broker and the bookies took, unless they were captured as well.",
	Exchanges: exchangesOf(session.Send),
	Kinds:     []session.Kind{session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		w := &slowSendWatch{r: r, producers: newPerProducer[slowSends](r)}
		return w.see
	},
}

type slowSendWatch struct {
	r         *Reporter
	producers perProducer[slowSends]
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
		if ok && e.Producer != nil && orderly(e.Conn) {
			w.producers.of(e).add(w.r, e, wait)
		}
	case session.ConnectionEnd:
		for _, id := range slices.Sorted(maps.Keys(e.Conn.Producers)) {
			if p := w.producers.at(e.Conn.Producers[id]); p != nil {
				w.judge(p)
			}
		}
	}
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
