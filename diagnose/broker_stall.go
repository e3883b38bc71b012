package diagnose

import (
	"fmt"
	"time"

	"pulsar-dissect/session"
)

var brokerStall = &Rule{
	Name:     "broker-stall",
	Severity: Warning,
	Title:    "All requests on a broker waited and were answered together",
	Meaning: "For a while a broker answered nothing on any connection, then everything at once: it stood still as a whole. Garbage collection is the usual " +
		"cause; others are a frozen virtual machine, a full disk, or one thread that all wait for.",
	Advice: "Look at the broker's garbage collection log and at the host (steal time, swap, disk) at these times.",
	Blind:  "A network that held everything back looks the same where the capture is not on the broker's host.",
	Kinds:  []session.Kind{session.ExchangeSeen},
	Start: func(r *Reporter) Watch {
		of := map[string]*silence{}
		return func(e *session.Event) {
			switch {
			case e.Kind == session.RunEnd:
				for _, s := range of {
					r.endSilence(s)
				}
			case e.Kind == session.ExchangeSeen && isAsked(e.Exchange.Kind) && e.Exchange.HasRequest && e.Exchange.HasResponse:
				s := of[server(e.Conn)]
				if s == nil {
					s = &silence{}
					of[server(e.Conn)] = s
				}
				r.answered(s, e)
			}
		}
	},
}

// isAsked says whether a broker answers such exchanges of itself, and at once.
func isAsked(k session.ExchangeKind) bool { return isRequest(k) || k == session.Send }

// silence is a broker that may be standing still: the answers that came together
// after it.
type silence struct {
	last     int64 // answer before, ns since the Unix epoch
	from     int64 // of the silence at hand
	first    int64 // answer after it
	waited   int   // of the answers together, those that had waited
	conns    map[int]bool
	worst    time.Duration
	subject  Subject
	evidence []Evidence
}

func (r *Reporter) answered(s *silence, e *session.Event) {
	x := e.Exchange
	at := x.Response.Time
	if x.Response.TimeUnknown || at < s.last {
		return
	}
	if at-s.last >= int64(r.Thresholds.StallWait) || s.first != 0 && at-s.first > int64(r.Thresholds.StallTogether) {
		r.endSilence(s)
	}
	if s.last != 0 && at-s.last >= int64(r.Thresholds.StallWait) {
		*s = silence{last: s.last, from: s.last, first: at, conns: map[int]bool{}, subject: Subject{Conn: server(e.Conn), ConnID: -1}}
	}
	s.last = at
	if d, ok := latency(x); s.first != 0 && ok && d >= r.Thresholds.StallWait && x.Request.Time > s.from-int64(r.Thresholds.StallWait) {
		s.waited++
		s.conns[e.Conn.ID] = true
		s.worst = max(s.worst, d)
		if len(s.evidence) < evidenceKept {
			s.evidence = append(s.evidence, sides(e.Conn, x)...)
		}
	}
}

// endSilence tells of a silence if enough waited.
func (r *Reporter) endSilence(s *silence) {
	if s.first != 0 && s.waited >= r.Thresholds.StallCount && len(s.conns) >= r.Thresholds.StallConns {
		r.Warn(s.subject, fmt.Sprintf("Nothing was answered from %s on for %s; then %s on %d connections came together, which had waited up to %s.",
			clock(s.from), lasting(s.first-s.from), counted(s.waited, "answer"), len(s.conns), lasting(int64(s.worst))), s.evidence...)
	}
	s.first = 0
}
