package diagnose

import (
	"fmt"

	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var producerWaiting = &Rule{
	Name:     "producer-waiting",
	Severity: Info,
	Title:    "Producer waits for exclusive access",
	Meaning: "A producer with access mode WaitForExclusive gets a first answer with producer_ready=false, and a second one when the producer before it " +
		"has gone. It sends nothing until then.",
	Advice:    "Nothing, if it is a standby. If it should not wait: find who holds the topic (pulsar-admin topics stats).",
	Blind:     "How long the wait goes on after the capture.",
	Exchanges: exchangesOf(session.Request),
	Kinds:     []session.Kind{session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		w := &waitingWatch{r: r, waits: perConn[map[uint64]*Finding]{}}
		return w.see
	},
}

type waitingWatch struct {
	r     *Reporter
	waits perConn[map[uint64]*Finding] // by request_id
}

func (w *waitingWatch) see(e *session.Event) {
	switch {
	case e.Kind == session.ConnectionEnd:
		for _, f := range deref(w.waits.end(e.Conn)) {
			f.Detail += " It was not ready when the capture or the connection ended."
			w.r.Report(*f)
		}
	case e.Kind != session.ExchangeSeen || e.Exchange.Kind != session.Request || e.Exchange.Request.Type != int32(pb.BaseCommand_PRODUCER):
	case e.Exchange.Result == session.Intermediate:
		w.waiting(e)
	case e.Exchange.Result == session.OK:
		w.ready(e)
	}
}

func (w *waitingWatch) waiting(e *session.Event) {
	x := e.Exchange
	waits := w.waits.of(e.Conn)
	if *waits == nil {
		*waits = map[uint64]*Finding{}
	}
	(*waits)[x.RequestID] = &Finding{Subject: about(e), Evidence: sides(e.Conn, x),
		Detail: fmt.Sprintf("The producer asked for %s at %s and was told to wait.", e.Topic(), clock(x.Request.Time))}
}

func (w *waitingWatch) ready(e *session.Event) {
	x := e.Exchange
	waits := deref(w.waits[e.Conn.ID])
	f := waits[x.RequestID]
	if f == nil {
		return
	}
	delete(waits, x.RequestID)
	wait, _ := x.Latency()
	f.Detail += fmt.Sprintf(" It got the topic %s later.", lasting(wait))
	f.Evidence = append(f.Evidence, frame(e.Conn, &x.Response))
	w.r.Report(*f)
}
