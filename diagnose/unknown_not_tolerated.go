package diagnose

import (
	"fmt"
	"time"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var unknownNotTolerated = &Rule{
	Name:     "unknown-not-tolerated",
	Severity: Warning,
	Title:    "Connection closed over a command or value that the receiver does not know",
	Meaning: "Newer peers send commands and enum values that older ones do not know. To be ready for them a receiver ignores the command, or " +
		"answers the request with an error; it does not close the connection, which takes everything else on it down.",
	Advice: "Let the receiver skip unknown commands and values. Until then, turn off the feature of the newer peer that uses them.",
	Blind:  "Whether the receiver closed for another reason at the same moment. Commands newer than this program are unknown to it as well.",
	Lint:   true,
	Frames: []pb.BaseCommand_Type{AllFrames},
	Kinds:  []session.Kind{session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		w := &toleranceWatch{r: r, conns: perConn[[2]strange]{}}
		return w.see
	},
}

// strange is the last frame of a direction, if it has something unknown.
type strange struct {
	what string
	at   Evidence
}

type toleranceWatch struct {
	r     *Reporter
	conns perConn[[2]strange]
}

func (w *toleranceWatch) see(e *session.Event) {
	switch e.Kind {
	case session.FrameSeen:
		w.frame(e)
	case session.ConnectionEnd:
		if s := w.conns.end(e.Conn); s != nil && complete(e.Conn) {
			w.judge(e, s)
		}
	}
}

// frame notes what is unknown. Whoever speaks on after it has tolerated it.
func (w *toleranceWatch) frame(e *session.Event) {
	if isOdd(e.Frame) {
		if what := unknownIn(e.Frame); what != "" {
			w.conns.of(e.Conn)[e.Direction] = strange{what, here(e)}
			return
		}
	}
	if len(w.conns) == 0 {
		return
	}
	if s := w.conns[e.Conn.ID]; s != nil {
		s[1-e.Direction] = strange{}
	}
}

// unknownIn names what a frame has that the schema does not know; "" if it has
// nothing of the kind.
func unknownIn(f *decode.Frame) string {
	if f.Command == nil && f.Type >= 0 {
		return f.TypeName()
	}
	if value := issueText(f, wire.UnknownEnum.String()); value != "" {
		return f.TypeName() + " with " + value
	}
	return ""
}

func (w *toleranceWatch) judge(e *session.Event, s *[2]strange) {
	const rightAfter = time.Second
	x, ok := endingOf(e.Conn)
	if !ok {
		return
	}
	u := &s[1-x.by]
	if u.what == "" || x.at.Time-u.at.Time > int64(rightAfter) {
		return
	}
	w.r.Warn(about(e), fmt.Sprintf("The %s closed the connection (%s) %s after it was sent %s.", offender(e.Conn, x.by), x.how,
		lasting(x.at.Time-u.at.Time), u.what), u.at, x.evidence(e.Conn))
}
