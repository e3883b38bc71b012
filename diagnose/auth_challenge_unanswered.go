package diagnose

import (
	"fmt"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var authChallengeUnanswered = &Rule{
	Name:     "auth-challenge-unanswered",
	Severity: Error,
	Title:    "AUTH_CHALLENGE without AUTH_RESPONSE",
	Meaning: "The broker asked for credentials, in the handshake or because those of the connection are about to expire, and the client " +
		"gave none in time. The broker closes the connection, and everything on it has to be opened again.",
	Advice: "See that the client's authentication plugin can renew its credentials (a token supplier rather than a fixed token), and that " +
		"what it asks for them answers within seconds.",
	Blind:  "Why the client gave no answer.",
	Frames: []pb.BaseCommand_Type{pb.BaseCommand_AUTH_CHALLENGE, pb.BaseCommand_AUTH_RESPONSE},
	Kinds:  []session.Kind{session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		w := &challengeWatch{r: r, open: perConn[challenge]{}}
		return w.see
	},
}

type challengeWatch struct {
	r    *Reporter
	open perConn[challenge]
}

type challenge struct {
	asked Evidence
	late  *Evidence // the answer, where it came after the connection had been closed
}

func (w *challengeWatch) see(e *session.Event) {
	switch {
	case e.Kind == session.ConnectionEnd:
		if q := w.open.end(e.Conn); q != nil && complete(e.Conn) {
			w.unanswered(e.Conn, q)
		}
	case e.Kind != session.FrameSeen:
	case e.Frame.Is(int32(pb.BaseCommand_AUTH_CHALLENGE)):
		*w.open.of(e.Conn) = challenge{asked: here(e)}
	case tooLate(e):
		if q := w.open[e.Conn.ID]; q != nil {
			answer := here(e)
			q.late = &answer
		}
	default:
		w.open.end(e.Conn)
	}
}

// tooLate says whether the frame of a client came after the broker had closed
// the connection.
func tooLate(e *session.Event) bool {
	x, closed := endingOf(e.Conn)
	return closed && x.by == decode.ServerToClient && x.at.Order < e.At.Order
}

func (w *challengeWatch) unanswered(c *session.Conn, q *challenge) {
	f := Finding{Severity: Error, Subject: onlyOne(about(&session.Event{Conn: c}), c), Evidence: []Evidence{q.asked}}
	switch x, closed := endingOf(c); {
	case closed && x.by == decode.ServerToClient:
		f.Evidence = append(f.Evidence, x.evidence(c))
		f.Detail = fmt.Sprintf("The broker asked for new credentials at %s; no answer came, and %s %s later.", clock(q.asked.Time), x.String(),
			lasting(x.at.Time-q.asked.Time))
		if q.late != nil {
			f.Title = "AUTH_RESPONSE came too late"
			f.Evidence = append(f.Evidence, *q.late)
			f.Detail += fmt.Sprintf(" The client answered after %s.", lasting(q.late.Time-q.asked.Time))
		}
	case !closed && w.r.now()-q.asked.Time >= int64(w.r.Thresholds.Handshake):
		f.Severity = Warning
		f.Detail = fmt.Sprintf("The broker asked for new credentials at %s and had no answer for %s when the capture ended.", clock(q.asked.Time),
			lasting(w.r.now()-q.asked.Time))
	default:
		return
	}
	w.r.Report(f)
}
