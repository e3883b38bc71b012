package diagnose

import (
	"fmt"
	"slices"
	"time"

	"pulsar-dissect/decode"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var handshakeStalled = &Rule{
	Name:     "handshake-stalled",
	Severity: Error,
	Title:    "No CONNECTED came for a CONNECT",
	Meaning: "The client reached the server by TCP, but the handshake of Pulsar, or of TLS before it, did not end: no answer for too " +
		"long, or the connection was closed or refused first.",
	Advice: "Look at the broker's log at that time. A broker that is alive but does not answer is starting, overloaded (full garbage " +
		"collections, blocked I/O threads), or not a broker at all.",
	Blind:     "What the server was doing. With TLS and without keys, whether CONNECT was sent at all.",
	Frames:    []pb.BaseCommand_Type{pb.BaseCommand_CONNECT, pb.BaseCommand_AUTH_CHALLENGE},
	Exchanges: exchangesOf(session.Connect),
	Kinds:     []session.Kind{session.ConnectionEnd, Tick},
	Start: func(r *Reporter) Watch {
		w := &handshakeWatch{r: r, state: perConn[handshake]{}}
		return w.see
	},
}

type handshakeWatch struct {
	r     *Reporter
	state perConn[handshake]
	asked []*handshake // that wait for their answer
}

type handshake struct {
	challenged bool              // the rules on challenges know more
	open       *session.Exchange // CONNECT without an answer
	conn       *session.Conn
	asked      session.Ref // the CONNECT
	told, over bool
}

func (w *handshakeWatch) see(e *session.Event) {
	switch e.Kind {
	case session.FrameSeen:
		h := w.state.of(e.Conn)
		if e.Frame.Is(int32(pb.BaseCommand_AUTH_CHALLENGE)) {
			h.challenged = true
		} else if h.conn == nil && len(w.asked) < earlyKept {
			h.conn, h.asked = e.Conn, thisFrame(e)
			w.asked = append(w.asked, h)
		}
	case Tick:
		w.asked = slices.DeleteFunc(w.asked, w.answered)
	case session.ExchangeSeen:
		w.connect(e)
		h := w.state.of(e.Conn)
		if h.over = true; h.told && e.Exchange.HasResponse {
			w.r.Over("", pair(e.Conn))
		}
	case session.ConnectionEnd:
		h := w.state.end(e.Conn)
		if h != nil && h.open != nil && !h.challenged {
			w.unanswered(e.Conn, h.open)
		}
		w.tls(e.Conn)
	}
}

// answered says whether nothing is waited for any more. What has waited for long
// is told of.
func (w *handshakeWatch) answered(h *handshake) bool {
	age := w.r.now() - h.asked.Time
	switch {
	case h.over || h.challenged || closed(h.conn):
		return true
	case age < int64(w.r.Thresholds.Handshake) || !complete(h.conn):
		return false
	}
	h.told = true
	return w.r.Early(Finding{Severity: Error, Subject: pair(h.conn), Evidence: []Evidence{frame(h.conn, &h.asked)},
		Detail: fmt.Sprintf("%s sent CONNECT (%s) to %s and has had no answer for %s.", clientHost(h.conn), clientVersion(h.conn), server(h.conn), lasting(age))})
}

func (w *handshakeWatch) connect(e *session.Event) {
	x := e.Exchange
	switch wait, ok := x.Latency(); {
	case x.Result == session.Unanswered && x.Why != "another_connect":
		open := *x
		w.state.of(e.Conn).open = &open
	case x.Result == session.Failed && !isAuthError(x.Error) && answersNoRequest(e.Frame):
		w.r.Report(Finding{Severity: Error, Title: "CONNECT was refused: " + x.Error, Subject: pair(e.Conn), Evidence: sides(e.Conn, x),
			Detail: fmt.Sprintf("%s answered the CONNECT of %s with %s%s.", server(e.Conn), clientHost(e.Conn), x.Error, quoted(x.Text))})
	case ok && wait >= int64(w.r.Thresholds.Handshake):
		w.r.Report(Finding{Severity: Warning, Title: "CONNECTED came late", Subject: pair(e.Conn), Evidence: sides(e.Conn, x),
			Detail: fmt.Sprintf("%s took %s to answer the CONNECT of %s.", server(e.Conn), lasting(wait), clientHost(e.Conn))})
	}
}

// answersNoRequest says whether an ERROR has the request_id -1, as that to a
// CONNECT has.
func answersNoRequest(f *decode.Frame) bool {
	if f == nil {
		return false
	}
	id, _ := f.Uint(field.CommandErrorRequestId)
	return id == 1<<64-1
}

// unanswered tells of a CONNECT without an answer, unless the rule on
// credentials does.
func (w *handshakeWatch) unanswered(c *session.Conn, x *session.Exchange) {
	if !complete(c) || closedOnCredentials(c) {
		return
	}
	f := Finding{Severity: Error, Subject: pair(c), Evidence: []Evidence{frame(c, &x.Request)}}
	version := fmt.Sprintf("%s sent CONNECT (%s) to %s", clientHost(c), clientVersion(c), server(c))
	if end, ok := endingOf(c); ok {
		f.Evidence = append(f.Evidence, end.evidence(c))
		wait := end.at.Time - x.Request.Time
		f.Detail = fmt.Sprintf("%s; %s %s later without an answer.", version, end.String(), lasting(wait))
		if end.by == decode.ClientToServer && wait < patience {
			f.Severity, f.Title = Info, "Client closed before CONNECTED came"
		}
	} else if age := w.r.now() - x.Request.Time; age >= int64(w.r.Thresholds.Handshake) {
		f.Detail = fmt.Sprintf("%s and had no answer for %s when the capture ended.", version, lasting(age))
	} else {
		return
	}
	w.r.Report(f)
}

// patience is the time, in ns, within which a client that closes changed its
// mind, rather than gave up.
const patience = int64(time.Second)

// tls tells of a handshake of TLS that an alert ended. A server that answers
// nothing speaks something else.
func (w *handshakeWatch) tls(c *session.Conn) {
	facts := decrypt.FactsOf(c.TCP)
	if facts == nil || c.Frames[decode.ClientToServer] > 0 || c.TCP.Sides[c.Client.Other()].Bytes == 0 {
		return
	}
	for _, a := range facts.Alerts {
		if !a.Fatal {
			continue
		}
		from := c.DirectionOf(a.From)
		w.r.Report(Finding{Severity: Error, Title: "TLS handshake failed: " + a.Description, Subject: pair(c),
			Evidence: []Evidence{packet(c, "TLS alert", a.At, from)},
			Detail: fmt.Sprintf("The TLS handshake between %s and %s (client offers %s) was ended by the %s with the alert %s.", clientHost(c),
				server(c), versionName(facts.Offered), party(from), a.Description),
			Advice: "handshake_failure: no cipher or version in common. unknown_ca, bad_certificate, certificate_unknown: the sender of the alert " +
				"does not trust the other's certificate. certificate_required: the server wants a client certificate."})
		return
	}
}

func versionName(v uint16) string {
	if n := decrypt.VersionName(v); n != "" {
		return n
	}
	return "an unknown version"
}
