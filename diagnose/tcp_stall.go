package diagnose

import (
	"fmt"
	"time"

	"pulsar-dissect/decode"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
)

var tcpStall = &Rule{
	Name:     "tcp-stall",
	Severity: Warning,
	Title:    "TCP stood still while data waited",
	Meaning: "A window of 0 says that the receiver does not read: its application is busy or blocked, and its buffer is full. One segment " +
		"sent again several times says that the network, or the receiver's host, does not take or does not acknowledge it.",
	Advice: "Window 0 of a client: look at its listener, thread dumps and receiver queue size. Window 0 of a broker: look at publish rate limits, " +
		"storage latency and its I/O threads. Retransmissions: look at loss and MTU on the way.",
	Blind: "Loss between the sender and the capture point is seen; loss behind it only by what is sent again.",
	Kinds: []session.Kind{session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			if c := e.Conn; e.Kind == session.ConnectionEnd && (c.Protocol == decode.Pulsar || c.Protocol == decode.TLS) {
				for side := range reassembly.Side(2) {
					zeroWindow(r, c, side)
					resent(r, c, side)
				}
			}
		}
	},
}

// leastStall is the shortest time, in ns, for which a window of 0 is worth
// telling.
const leastStall = int64(500 * time.Millisecond)

func zeroWindow(r *Reporter, c *session.Conn, side reassembly.Side) {
	z := &c.TCP.Sides[side].ZeroWindow
	if z.From.Order == 0 || z.Duration() < leastStall {
		return
	}
	severity := Info
	if z.Duration() >= int64(r.Thresholds.ZeroWindow) {
		severity = Warning
	}
	d := c.DirectionOf(side)
	r.Report(Finding{Severity: severity, Title: "Window 0: the " + party(d) + " takes no data", Subject: onlyOne(about(&session.Event{Conn: c}), c),
		Evidence: []Evidence{packet(c, "window 0", z.From, d), packet(c, "TCP segment", z.To, d)},
		Detail: fmt.Sprintf("The %s announced a window of 0 at %s and took nothing for %s; what the %s had to send waited. It announced window 0 in %s in all.",
			party(d), clock(z.From.Time), lasting(z.Duration()), party(1-d), counted(c.TCP.Sides[side].ZeroWindows, "segment"))})
}

func resent(r *Reporter, c *session.Conn, side reassembly.Side) {
	again := &c.TCP.Sides[side].Resent
	if again.Times < r.Thresholds.Retransmissions {
		return
	}
	d := c.DirectionOf(side)
	r.Report(Finding{Severity: Warning, Title: "Segment of the " + party(d) + " sent again and again", Subject: about(&session.Event{Conn: c}),
		Evidence: []Evidence{packet(c, "retransmission", again.First, d), packet(c, "retransmission", again.Last, d)},
		Detail: fmt.Sprintf("The %s sent one segment again %d times within %s from %s on; %s of this direction brought nothing new in all.",
			party(d), again.Times, lasting(again.Last.Time-again.First.Time), clock(again.First.Time),
			counted(c.TCP.Sides[side].Retransmitted, "segment"))})
}
