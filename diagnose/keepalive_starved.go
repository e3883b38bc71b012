package diagnose

import (
	"fmt"
	"time"

	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var keepaliveStarved = &Rule{
	Name:     "keepalive-starved",
	Severity: Warning,
	Title:    "PONG waits behind a frame too large for the link",
	Meaning: "Frames are sent one after another: while a large one crosses a slow link, the PONG behind it waits. When that takes longer " +
		"than the keep-alive interval, the other side gives up a connection that is busy, and the same frame begins anew on the next one.",
	Advice:    "Send smaller messages or turn chunking on, give the link more bandwidth, or lengthen the keep-alive interval on the side that closes.",
	Blind:     "A peer that is slow itself looks the same as a slow link where it stops in the middle of a frame.",
	Frames:    []pb.BaseCommand_Type{AllFrames},
	Exchanges: exchangesOf(session.Ping),
	Kinds:     []session.Kind{session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		w := &starvedWatch{r: r, slow: perConn[[2]slowFrame]{}}
		return w.see
	},
}

// slowFrame is the last frame of a direction that took long to cross.
type slowFrame struct {
	evidence Evidence
	from, to int64 // ns
	size     int64 // bytes
}

type starvedWatch struct {
	r    *Reporter
	slow perConn[[2]slowFrame]
}

func (w *starvedWatch) see(e *session.Event) {
	switch e.Kind {
	case session.FrameSeen:
		const long = int64(time.Second)
		if f := e.Frame; f.Last.Time-f.First.Time >= long {
			w.slow.of(e.Conn)[e.Direction] = slowFrame{here(e), f.First.Time, f.Last.Time, f.Size}
		}
	case session.ExchangeSeen:
		if p := w.slow[e.Conn.ID]; p != nil && e.Exchange.Kind == session.Ping && e.Exchange.HasRequest && gapless(e.Conn) {
			w.pinged(e.Conn, e.Exchange, &p[1-e.Exchange.Request.Direction])
		}
	case session.ConnectionEnd:
		w.slow.end(e.Conn)
	}
}

// pinged looks whether at least half of the wait for a PONG went by while a
// frame in front of it crossed.
func (w *starvedWatch) pinged(c *session.Conn, x *session.Exchange, s *slowFrame) {
	until := x.Response.Time
	end, closed := endingOf(c)
	switch {
	case x.HasResponse:
	case closed:
		until = end.at.Time
	default:
		return
	}
	wait := until - x.Request.Time
	crossing := min(s.to, until) - max(s.from, x.Request.Time)
	if wait < int64(w.r.Thresholds.SlowOne) || crossing < wait/2 {
		return
	}
	outcome := "came " + lasting(wait) + " after the PING"
	evidence := []Evidence{frame(c, &x.Request), s.evidence}
	if !x.HasResponse {
		outcome = "had not come when " + end.String() + " " + lasting(wait) + " after the PING"
		evidence = append(evidence, end.evidence(c))
	}
	w.r.Warn(about(&session.Event{Conn: c}), fmt.Sprintf("A %s of %d bytes took %s from %s on, at %s per second; the PONG of the %s behind it %s.",
		s.evidence.Type, s.size, lasting(s.to-s.from), clock(s.from), size(s.size*int64(time.Second)/max(s.to-s.from, 1)),
		party(1-x.Request.Direction), outcome), evidence...)
}
