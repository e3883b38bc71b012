package diagnose

import (
	"fmt"

	"pulsar-dissect/session"
)

var sendUnanswered = &Rule{
	Name:     "send-unanswered",
	Severity: Warning,
	Title:    "SEND got neither a receipt nor an error",
	Meaning:  "The broker never said whether it stored the message. The client sends it again after a reconnect, or fails it at its send timeout.",
	Advice:   "Look at what ended the connection, and at the broker's storage at that time.",
	Blind:    "Whether the message was stored all the same. At the end of the capture the answer may merely be missing.",
	Kinds:    []session.Kind{session.ExchangeSeen},
	Start: func(r *Reporter) Watch {
		w := &unansweredWatch{r: r, sends: r.histories()}
		return w.see
	},
}

// unansweredKept is how many SENDs without an answer wait for being sent again.
const unansweredKept = 100_000

type unansweredWatch struct {
	r     *Reporter
	sends *histories
	list  []unansweredSend
}

type unansweredSend struct {
	Finding
	producer producerOf
	sequence uint64
	time     int64 // ns
}

func (w *unansweredWatch) see(e *session.Event) {
	switch {
	case e.Kind == session.RunEnd:
		w.finish()
	case e.Exchange.Kind == session.Send && e.Producer != nil && e.Exchange.Result == session.Unanswered && complete(e.Conn):
		w.keep(e)
	}
}

func (w *unansweredWatch) keep(e *session.Event) {
	x := e.Exchange
	f := Finding{Severity: Warning, Subject: about(e), Evidence: sides(e.Conn, x)}
	switch end, closed := endingOf(e.Conn); {
	case x.Why == "producer_reopened":
		w.r.Report(Finding{Severity: Info, Title: "SEND unanswered, then sent again", Subject: f.Subject, Evidence: f.Evidence,
			Detail: fmt.Sprintf("SEND with sequence id %d had no answer when the producer was opened anew and sent it again.", x.SequenceID)})
		return
	case closed:
		f.Detail = fmt.Sprintf("SEND with sequence id %d had no answer for %s when %s.", x.SequenceID, lasting(end.at.Time-x.Request.Time), end.String())
	default:
		age := w.r.now() - x.Request.Time
		f.Detail = fmt.Sprintf("SEND with sequence id %d had no answer for %s when the capture ended.", x.SequenceID, lasting(age))
		if age < int64(w.r.Thresholds.SlowOne) {
			f.Severity, f.Title = Info, "SEND in flight at the end of the capture"
		}
	}
	if len(w.list) == unansweredKept {
		w.r.Report(f)
		return
	}
	w.list = append(w.list, unansweredSend{f, producerOf{e.Producer.Topic, e.Producer.Name}, x.SequenceID, x.Request.Time})
}

func (w *unansweredWatch) finish() {
	for _, s := range w.list {
		if w.sends.storedLater(s.producer, s.sequence, s.time) {
			s.Severity, s.Title = Info, "SEND unanswered, then sent again and stored"
			s.Detail += " It was sent again, and that got a receipt."
			s.Advice = "Nothing is lost; see send-resent for whether it is stored twice."
		}
		w.r.Report(s.Finding)
	}
}
