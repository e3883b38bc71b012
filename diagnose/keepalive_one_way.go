package diagnose

import (
	"fmt"
	"time"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var keepaliveOneWay = &Rule{
	Name:     "keepalive-one-way",
	Severity: Warning,
	Title:    "A peer never answers PING although it is alive",
	Meaning: "The peer sends commands, PINGs of its own among them, but not one PONG. The other side closes the connection when nothing " +
		"else happens to come in a keep-alive interval: an idle connection is lost over and over.",
	Advice: "Update the client, or report it to its authors: each PING has to be answered by a PONG at once.",
	Blind:  "PONGs that were sent and not captured.",
	Lint:   true,
	Frames: []pb.BaseCommand_Type{pb.BaseCommand_PING, pb.BaseCommand_PONG},
	Kinds:  []session.Kind{session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		w := &oneWayWatch{r: r, conns: perConn[[2]pinged]{}}
		return w.see
	},
}

// pinged counts what one direction of a connection carried.
type pinged struct {
	pings, pongs int
	first        Evidence // its first PING
}

type oneWayWatch struct {
	r     *Reporter
	conns perConn[[2]pinged]
}

func (w *oneWayWatch) see(e *session.Event) {
	switch {
	case e.Kind == session.ConnectionEnd:
		if p := w.conns.end(e.Conn); p != nil && complete(e.Conn) {
			w.judge(e.Conn, p, decode.ClientToServer)
			w.judge(e.Conn, p, decode.ServerToClient)
		}
	case e.Kind != session.FrameSeen:
	case e.Frame.Is(int32(pb.BaseCommand_PONG)):
		w.conns.of(e.Conn)[e.Direction].pongs++
	default:
		p := &w.conns.of(e.Conn)[e.Direction]
		if p.pings++; p.pings == 1 {
			p.first = here(e)
		}
	}
}

// judge looks whether the sender of a direction pings, and is heard of later,
// but does not answer.
func (w *oneWayWatch) judge(c *session.Conn, p *[2]pinged, d decode.Direction) {
	const leastPings = 2
	mine, asked := &p[d], &p[1-d]
	if mine.pings == 0 || mine.pongs > 0 || asked.pings < leastPings || c.Heard[d].Time < asked.first.Time+int64(time.Second) {
		return
	}
	w.r.Warn(onlyOne(about(&session.Event{Conn: c}), c), fmt.Sprintf(
		"The %s sent %s of its own and other commands until %s, but answered none of the %s that it was sent from %s on.", party(d),
		counted(mine.pings, "PING"), clock(c.Heard[d].Time), counted(asked.pings, "PING"), clock(asked.first.Time)), asked.first, mine.first)
}
