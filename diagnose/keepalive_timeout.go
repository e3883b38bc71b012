package diagnose

import (
	"fmt"
	"slices"
	"time"

	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var keepaliveTimeout = &Rule{
	Name:     "keepalive-timeout",
	Severity: Error,
	Title:    "PING unanswered, then the connection was closed",
	Meaning: "One side heard nothing from the other after a PING and gave the connection up. Brokers do so after one or two keep-alive " +
		"intervals (keepAliveIntervalSeconds, 30 s), clients likewise.",
	Advice: "Find out what stopped the silent side: a long garbage collection, a blocked I/O thread, a suspended process or virtual machine, " +
		"a host that is gone, a firewall or NAT that dropped the idle connection.",
	Blind:     "Whether the silent side or the network was at fault. Look for a capture from the other end.",
	Exchanges: exchangesOf(session.Ping),
	Frames:    []pb.BaseCommand_Type{pb.BaseCommand_PING},
	Kinds:     []session.Kind{session.ConnectionEnd, Tick},
	Start: func(r *Reporter) Watch {
		w := &silenceWatch{r: r, silent: perConn[session.Exchange]{}}
		return w.see
	},
}

// unheardPing is a PING of which it is not known yet whether the other side lives.
type unheardPing struct {
	conn *session.Conn
	at   session.Ref
}

type silenceWatch struct {
	r      *Reporter
	silent perConn[session.Exchange] // the first PING that was not answered in time
	asked  []*unheardPing            // PINGs behind which nothing was heard
}

func (w *silenceWatch) see(e *session.Event) {
	switch e.Kind {
	case session.FrameSeen:
		if n := len(w.asked); n < earlyKept && (n == 0 || w.asked[n-1].conn != e.Conn || w.answered(w.asked[n-1])) {
			w.asked = append(w.asked, &unheardPing{e.Conn, thisFrame(e)})
		}
	case Tick:
		w.asked = slices.DeleteFunc(w.asked, w.heard)
	case session.ExchangeSeen:
		if x := e.Exchange; x.Kind == session.Ping && w.silent[e.Conn.ID] == nil && unheard(e.Conn, x) {
			*w.silent.of(e.Conn) = *x
		}
	case session.ConnectionEnd:
		if x := w.silent.end(e.Conn); x != nil && complete(e.Conn) {
			w.report(e.Conn, x)
		}
	}
}

// heard says whether there is no more to be learnt of a PING. Where nothing came
// for long, it is told of.
func (w *silenceWatch) heard(p *unheardPing) bool {
	age := w.r.now() - p.at.Time
	switch {
	case w.answered(p):
		return true
	case age < int64(w.r.Thresholds.Keepalive) || !complete(p.conn):
		return false
	}
	pinger, silent := party(p.at.Direction), party(1-p.at.Direction)
	return w.r.Early(Finding{Severity: Warning, Title: "PING of the " + pinger + " unanswered", Subject: onlyOne(about(&session.Event{Conn: p.conn}), p.conn),
		Evidence: []Evidence{frame(p.conn, &p.at)},
		Detail:   fmt.Sprintf("The %s sent PING at %s and has heard nothing from the %s for %s.", pinger, clock(p.at.Time), silent, lasting(age))})
}

// answered says whether something came from the other side since, or the
// connection was closed.
func (w *silenceWatch) answered(p *unheardPing) bool {
	return closed(p.conn) || p.conn.Heard[1-p.at.Direction].Time > p.at.Time
}

// leastSilence is the least time between PING and close that is a timeout: who
// closes sooner does so for another reason.
const leastSilence = int64(time.Second)

// unheard says whether the sender of a PING heard nothing until it closed the
// connection, or until now where nobody closed it.
func unheard(c *session.Conn, x *session.Exchange) bool {
	if !x.HasRequest || c.Heard[1-x.Request.Direction].Time > x.Request.Time {
		return false
	}
	end, closed := endingOf(c)
	if !closed {
		return x.Result == session.Unanswered && x.Why == "capture_end"
	}
	return end.by == x.Request.Direction && end.at.Time-x.Request.Time >= leastSilence
}

func (w *silenceWatch) report(c *session.Conn, x *session.Exchange) {
	pinger, silent := party(x.Request.Direction), party(1-x.Request.Direction)
	f := Finding{Severity: Error, Subject: onlyOne(about(&session.Event{Conn: c}), c), Evidence: []Evidence{frame(c, &x.Request)},
		Title: "PING of the " + pinger + " unanswered, then the connection was closed"}
	f.Detail = fmt.Sprintf("The %s sent PING at %s and heard nothing from the %s", pinger, clock(x.Request.Time), silent)
	if last := c.Heard[1-x.Request.Direction]; last.Order != 0 {
		f.Detail += fmt.Sprintf(" (last heard of %s before)", lasting(x.Request.Time-last.Time))
	}
	if end, closed := endingOf(c); closed {
		f.Evidence = append(f.Evidence, end.evidence(c))
		f.Detail += fmt.Sprintf("; it closed the connection (%s) %s later.", end.how, lasting(end.at.Time-x.Request.Time))
	} else if age := w.r.now() - x.Request.Time; age >= int64(w.r.Thresholds.Keepalive) {
		f.Severity, f.Title = Warning, "PING of the "+pinger+" unanswered"
		f.Detail += fmt.Sprintf(" in the %s until the capture ended.", lasting(age))
	} else {
		return
	}
	if x.HasResponse {
		f.Evidence = append(f.Evidence, frame(c, &x.Response))
		f.Detail += fmt.Sprintf(" The PONG came %s after the PING: the %s was not gone, but stopped.", lasting(x.Response.Time-x.Request.Time), silent)
	}
	w.r.Report(f)
}
