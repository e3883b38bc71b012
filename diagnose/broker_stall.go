package diagnose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"pulsar-dissect/session"
)

var brokerStall = &Rule{
	Name:     "broker-stall",
	Severity: Warning,
	Title:    "Broker stood still: what waited was answered together",
	Meaning: "For a while a broker answered nothing on any connection, then all that waited at once. Garbage collection is the usual cause; others are a frozen virtual " +
		"machine, a full disk, storage (bookies) that hangs, or one thread that all wait for. One short pause is info; pauses that are long or come again are a warning.",
	Advice: "Look at the broker's garbage collection log, at its host (steal time, swap, disk) and at the latencies of its bookies at these times.",
	Blind: "A network that held everything back looks the same where the capture is not on the broker's host. Where all that waited was on one connection, it is told of only " +
		"when it comes again.",
	Exchanges: exchangesOf(session.Request, session.Connect, session.Watch, session.Send),
	Start: func(r *Reporter) Watch {
		of := map[string]*silence{}
		var conn *session.Conn // of the latest exchange, and its server's silence
		var at *silence
		return func(e *session.Event) {
			switch {
			case e.Kind == session.RunEnd:
				for _, name := range slices.SortedFunc(maps.Keys(of), cmp.Compare) {
					r.endSilence(of[name])
				}
			case e.Kind == session.ExchangeSeen && isAsked(e.Exchange.Kind) && e.Exchange.HasRequest && e.Exchange.HasResponse:
				if e.Conn != conn {
					conn, at = e.Conn, silenceOf(of, server(e.Conn))
				}
				r.answered(at, e)
			}
		}
	},
}

func silenceOf(of map[string]*silence, name string) *silence {
	s := of[name]
	if s == nil {
		s = &silence{subject: Subject{Conn: name, ConnID: -1}}
		of[name] = s
	}
	return s
}

// isAsked says whether a broker answers such exchanges of itself, and at once.
func isAsked(k session.ExchangeKind) bool { return isRequest(k) || k == session.Send }

// silence is a broker that may be standing still: the answers that came together
// after it.
type silence struct {
	subject  Subject
	last     int64 // answer before, ns since the Unix epoch
	from     int64 // of the silence at hand
	first    int64 // answer after it; 0: none is at hand
	waited   int   // of the answers together, those that had waited
	conns    map[int]bool
	worst    time.Duration
	evidence []Evidence
	before   int      // silences told or worth telling
	single   *Finding // the first, where it is worth telling only if there is another
	told     *Finding
}

func (r *Reporter) answered(s *silence, e *session.Event) {
	x, t := e.Exchange, r.Thresholds
	at := x.Response.Time
	if x.Response.TimeUnknown || at < s.last && r.now() >= s.last {
		return
	}
	if r.now() < s.last { // a wrong time was met
		s.last, s.first = at, 0
		return
	}
	quiet := s.last != 0 && at-s.last >= int64(t.StallWait)
	if s.first != 0 && (quiet || at-s.first > int64(t.StallTogether)) {
		r.endSilence(s)
	}
	if quiet {
		s.from, s.first, s.waited, s.conns, s.worst, s.evidence = s.last, at, 0, map[int]bool{}, 0, nil
	}
	s.last = at
	if d, ok := latency(x); s.first != 0 && ok && d >= t.StallWait/waitedShare {
		s.waited++
		s.conns[e.Conn.ID] = true
		s.worst = max(s.worst, d)
		if len(s.evidence) < evidenceKept {
			s.evidence = append(s.evidence, sides(e.Conn, x)...)
		}
	}
}

// waitedShare: what was asked in the last fifth of the time that makes a stall
// has not waited for it.
const waitedShare = 5

// endSilence tells of a silence if enough waited.
func (r *Reporter) endSilence(s *silence) {
	first := s.first
	s.first = 0
	if first == 0 || s.waited < r.Thresholds.StallCount || s.worst < r.Thresholds.StallWait {
		return
	}
	s.before++
	f := Finding{Severity: Info, Subject: s.subject, Evidence: s.evidence,
		Detail: fmt.Sprintf("Nothing was answered from %s on for %s; then %s on %s came together, which had waited up to %s.",
			clock(s.from), lasting(first-s.from), counted(s.waited, "answer"), counted(len(s.conns), "connection"), lasting(int64(s.worst)))}
	if time.Duration(first-s.from) >= 2*r.Thresholds.StallWait {
		f.Severity = Warning
	}
	if len(s.conns) < r.Thresholds.StallConns && s.before < 2 {
		s.single = &f
		return
	}
	r.tellSilence(s, f)
}

// toldSilences is how many silences of a broker are told one by one.
const toldSilences = 5

// tellSilence reports a silence. All of a broker are one finding; two are a
// warning, however short.
func (r *Reporter) tellSilence(s *silence, f Finding) {
	if s.single != nil {
		s.told, s.single = r.Report(*s.single), nil
	}
	if s.told == nil {
		s.told = r.Report(f)
		return
	}
	s.told.Severity = Warning
	s.told.Count++
	if s.told.Count <= toldSilences {
		s.told.Detail += " " + f.Detail
	}
	if s.told.Count == 2 { // room for frames of both
		s.told.Evidence = s.told.Evidence[:min(len(s.told.Evidence), evidenceKept/2)]
	}
	s.told.Evidence = append(s.told.Evidence, f.Evidence[:min(len(f.Evidence), max(0, evidenceKept-len(s.told.Evidence)))]...)
}
