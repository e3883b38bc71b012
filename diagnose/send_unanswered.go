package diagnose

import (
	"fmt"
	"slices"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var sendUnanswered = &Rule{
	Name:      "send-unanswered",
	Severity:  Warning,
	Title:     "SEND got neither a receipt nor an error",
	Meaning:   "The broker never said whether it stored the message. The client sends it again after a reconnect, or fails it at its send timeout.",
	Advice:    "Look at what ended the connection, and at the broker's storage at that time.",
	Blind:     "Whether the message was stored all the same. At the end of the capture the answer may merely be missing.",
	Frames:    []pb.BaseCommand_Type{pb.BaseCommand_SEND},
	Exchanges: exchangesWith(session.Send, session.Unanswered),
	Kinds:     []session.Kind{Tick},
	Start: func(r *Reporter) Watch {
		w := &unansweredWatch{r: r, sends: r.histories(), senders: newPerProducer[sendingProducer](r)}
		return w.see
	},
}

// unansweredKept is how many SENDs without an answer wait for being sent again.
const unansweredKept = 100_000

type unansweredWatch struct {
	r     *Reporter
	sends *histories
	list  []*unansweredSends
	count int

	senders perProducer[sendingProducer]
	sending []*sendingProducer // that may have SENDs without an answer
}

// unansweredSends are those of one producer that had no answer when its
// connection ended.
type unansweredSends struct {
	subject  Subject
	producer producerOf
	conn     int
	what     string // ended it
	ended    int64  // ns since the Unix epoch
	closed   bool   // else the capture ended
	sends    []unansweredSend
}

type unansweredSend struct {
	sequence, packet uint64
	time, offset     int64 // time: ns since the Unix epoch
}

func (w *unansweredWatch) see(e *session.Event) {
	switch {
	case e.Kind == session.RunEnd:
		w.finish()
	case e.Kind == Tick:
		w.sending = slices.DeleteFunc(w.sending, w.answered)
	case e.Kind == session.FrameSeen:
		if e.Producer != nil {
			w.sent(e)
		}
	case e.Producer != nil && complete(e.Conn):
		w.unanswered(e)
	}
}

func (w *unansweredWatch) unanswered(e *session.Event) {
	x := e.Exchange
	if x.Why == "producer_reopened" {
		w.r.Report(Finding{Severity: Info, Title: "SEND unanswered, then sent again", Subject: about(e), Evidence: sides(e.Conn, x),
			Detail: fmt.Sprintf("SEND with sequence id %d had no answer when the producer was opened anew and sent it again.", x.SequenceID)})
		return
	}
	u := w.of(e)
	send := unansweredSend{x.SequenceID, x.Request.Packet, x.Request.Time, x.Request.Offset}
	if w.count == unansweredKept {
		w.report(u, &send)
		return
	}
	w.count++
	u.sends = append(u.sends, send)
}

// sendingProducer is a producer that has sent something.
type sendingProducer struct {
	conn     *session.Conn
	producer *session.Producer
	listed   bool
	late     bool // it was told of
	told     bool // for good
}

// sent takes a SEND.
func (w *unansweredWatch) sent(e *session.Event) {
	if p := w.senders.of(e); !p.listed && len(w.sending) < unansweredKept {
		*p = sendingProducer{conn: e.Conn, producer: e.Producer, listed: true}
		w.sending = append(w.sending, p)
	}
}

// answered says whether a producer waits for nothing any more. One that waits for
// long is told of.
func (w *unansweredWatch) answered(p *sendingProducer) bool {
	oldest, waits := p.producer.OldestSend()
	_, over := endingOf(p.conn)
	f := Finding{Severity: Warning, Subject: about(&session.Event{Conn: p.conn, Producer: p.producer})}
	age := w.r.now() - oldest.Time
	late := waits && !oldest.TimeUnknown && age >= int64(w.r.Thresholds.SlowOne)
	switch {
	case late && !over && !p.told && complete(p.conn):
		f.Detail = fmt.Sprintf("A SEND has had no answer for %s.", lasting(age))
		f.Evidence = []Evidence{frame(p.conn, &oldest)}
		p.late, p.told = true, w.r.Early(f)
	case p.late && !late && !over:
		p.late, p.told = false, false
		w.r.Over("", f.Subject)
	}
	p.listed = waits && !over || w.r.engine.idling
	return !p.listed
}

// of gives those of the producer of an event: they come one after another.
func (w *unansweredWatch) of(e *session.Event) *unansweredSends {
	s := about(e)
	if n := len(w.list); n > 0 && w.list[n-1].conn == e.Conn.ID && w.list[n-1].subject == s {
		return w.list[n-1]
	}
	u := &unansweredSends{subject: s, producer: producerOf{e.Producer.Topic, e.Producer.Name}, conn: e.Conn.ID, ended: w.r.now()}
	var end ending
	if end, u.closed = endingOf(e.Conn); u.closed {
		u.what, u.ended = end.String(), end.at.Time
	}
	w.list = append(w.list, u)
	return u
}

func (w *unansweredWatch) finish() {
	for _, u := range w.list {
		for i := range u.sends {
			w.report(u, &u.sends[i])
		}
	}
}

func (w *unansweredWatch) report(u *unansweredSends, s *unansweredSend) {
	age := u.ended - s.time
	f := Finding{Severity: Warning, Title: w.r.rule.Title, Subject: u.subject}
	again := w.sends.storedLater(u.producer, s.sequence, s.time)
	switch {
	case again:
		f.Severity, f.Title = Info, "SEND unanswered, then sent again and stored"
		f.Advice = "Nothing is lost; see send-resent for whether it is stored twice."
	case !u.closed && age < int64(w.r.Thresholds.SlowOne):
		f.Severity, f.Title = Info, "SEND in flight at the end of the capture"
	}
	if w.r.repeated(f.Severity, f.Title, f.Subject) {
		return
	}
	when := "the capture ended"
	if u.closed {
		when = u.what
	}
	f.Detail = fmt.Sprintf("SEND with sequence id %d had no answer for %s when %s.", s.sequence, lasting(age), when)
	if again {
		f.Detail += " It was sent again, and that got a receipt."
	}
	f.Evidence = []Evidence{{Conn: u.subject.Conn, ConnID: u.subject.ConnID, Type: sendName, Packet: s.packet, Time: s.time, Offset: s.offset, Dir: decode.ClientToServer.String()}}
	w.r.Report(f)
}
