package diagnose

import (
	"fmt"

	"pulsar-dissect/decode"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
)

var connectionRefused = &Rule{
	Name:     "connection-refused",
	Severity: Error,
	Title:    "Nothing listens: connection refused",
	Meaning:  "The client's SYN was answered by RST, or not at all: no process listens at that address and port, or a firewall is in between.",
	Advice: "See whether the broker is up and listens there, and whether the address that lookups hand out (advertisedAddress, " +
		"advertisedListeners) is the one that clients can reach.",
	Blind: "Whether the host or a firewall sent the RST.",
	Kinds: []session.Kind{session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		w := &refusedWatch{r: r, speaks: map[string]bool{}, ports: map[uint16]bool{}}
		return w.see
	},
}

// refusalsKept is how many refused connections wait for the end, when it is
// known which servers are Pulsar's.
const refusalsKept = 10_000

type refusedWatch struct {
	r       *Reporter
	any     bool            // Pulsar was seen at all
	speaks  map[string]bool // servers of Pulsar
	ports   map[uint16]bool // their ports
	waiting []refusal
}

type refusal struct {
	Finding
	server string
	port   uint16
}

func (w *refusedWatch) see(e *session.Event) {
	if e.Kind == session.RunEnd {
		w.finish()
		return
	}
	c := e.Conn
	switch {
	case c.Protocol == decode.Pulsar && c.Frames[decode.ServerToClient] > 0:
		w.any, w.ports[serverPort(c)] = true, true
		note(w.speaks, server(c))
	case len(w.waiting) < refusalsKept && c.TCP.SYNFrom != reassembly.Nobody:
		if f, ok := refused(c); ok {
			w.waiting = append(w.waiting, refusal{f, server(c), serverPort(c)})
		}
	}
}

// refused looks whether a connection was begun and not answered, or answered
// by a RST.
func refused(c *session.Conn) (f Finding, ok bool) {
	t := c.TCP
	client := reassembly.Side(t.SYNFrom)
	answers := t.Sides[client.Other()].Packets
	if t.StartKnown(client.Other()) || t.Sides[0].Bytes+t.Sides[1].Bytes > 0 {
		return f, false
	}
	f = Finding{Severity: Error, Subject: pair(c), Evidence: []Evidence{packet(c, "SYN", t.First, decode.ClientToServer)}}
	switch {
	case answers > 0 && t.RSTFrom == int8(client.Other()):
		f.Detail = fmt.Sprintf("%s tried to connect to %s at %s and was refused (RST).", clientHost(c), server(c), clock(t.First.Time))
		f.Evidence = append(f.Evidence, packet(c, "RST", t.Closing, decode.ServerToClient))
	case answers == 0 && t.Sides[client].Packets > 1 && t.RSTFrom == reassembly.Nobody:
		f.Title, f.Severity = "No answer to SYN", Warning
		f.Detail = fmt.Sprintf("%s sent SYN to %s %d times from %s on; no answer was captured.", clientHost(c), server(c),
			t.Sides[client].Packets, clock(t.First.Time))
	default:
		return f, false
	}
	return f, true
}

// finish reports those that concern Pulsar: servers and ports where it was
// seen, its usual ports, and all where the capture has no Pulsar at all.
func (w *refusedWatch) finish() {
	for _, x := range w.waiting {
		if !w.any || w.ports[x.port] || x.port == plainPort || x.port == tlsPort || w.r.isPort(x.port) {
			if w.speaks[x.server] && x.Severity == Error {
				x.Detail += " The server took connections at other times."
			}
			w.r.Report(x.Finding)
		}
	}
}
