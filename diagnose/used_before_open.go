package diagnose

import (
	"fmt"

	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var usedBeforeOpen = &Rule{
	Name:     "used-before-open",
	Severity: Warning,
	Title:    "Producer or consumer is used while it is not open",
	Meaning: "A client sends SEND only after PRODUCER_SUCCESS with producer_ready, and FLOW and ACK only after the SUCCESS of its SUBSCRIBE. Before that, " +
		"and after a close, the broker has nobody to take them: it drops them, or closes the connection.",
	Advice: "Let the client wait for the answer. What it has to send meanwhile stays in its own queue.",
	Blind:  "Producers and consumers that were opened before the capture. What was on its way when the broker closed one is no fault.",
	Lint:   true,
	Frames: []pb.BaseCommand_Type{pb.BaseCommand_SEND, pb.BaseCommand_FLOW, pb.BaseCommand_ACK},
	Start: func(r *Reporter) Watch {
		w := &openWatch{r: r, words: map[misuseOf]string{}}
		return w.see
	},
}

type openWatch struct {
	r     *Reporter
	words map[misuseOf]string // a client that does it does it often
}

type misuseOf struct {
	command int32
	phase   session.Phase
}

func (w *openWatch) see(e *session.Event) {
	if e.Kind != session.FrameSeen {
		return
	}
	phase, opener := phaseOf(e)
	if phase == session.Opened || notOpen[phase] == "" || !whole(e.Conn) || phase == session.Unseen && e.Conn.Forgetful {
		return
	}
	title := w.title(e, phase, opener)
	f := Finding{Severity: misuse(e, phase), Title: title, Subject: about(e)}
	if !w.r.repeated(f.Severity, f.Title, f.Subject) {
		f.Detail, f.Evidence = fmt.Sprintf("The %s sent %s.", offender(e.Conn, e.Direction), title), []Evidence{here(e)}
		w.r.Report(f)
	}
}

// title is like "SEND without a PRODUCER".
func (w *openWatch) title(e *session.Event, phase session.Phase, opener string) string {
	key := misuseOf{e.Frame.Type, phase}
	text := w.words[key]
	if text == "" {
		text = e.Frame.TypeName() + " " + fmt.Sprintf(notOpen[phase], opener)
		w.words[key] = text
	}
	return text
}

// notOpen says in which phases nothing may be sent, and why.
var notOpen = map[session.Phase]string{
	session.Unseen: "without a %s",
	session.Asked:  "before the answer to its %s",
	session.Ended:  "after the end of what its %s opened",
}

func phaseOf(e *session.Event) (phase session.Phase, opener string) {
	switch {
	case e.Producer != nil:
		return e.Producer.Phase, "PRODUCER"
	case e.Consumer != nil:
		return e.Consumer.Phase, "SUBSCRIBE"
	}
	return session.Opened, ""
}

// misuse is how bad it is: what comes after a close is dropped, and a consumer
// that is gone misses nothing by that.
func misuse(e *session.Event, phase session.Phase) Severity {
	if phase == session.Ended && e.Consumer != nil {
		return Info
	}
	return Warning
}
