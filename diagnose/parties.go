package diagnose

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
)

// clientHost is the address of the client, without port.
func clientHost(c *session.Conn) string { return c.TCP.Ends[c.Client].AddrPort().Addr().String() }

// server is address and port of the server.
func server(c *session.Conn) string { return c.TCP.Ends[c.Client.Other()].String() }

// serverPort is the port of the server.
func serverPort(c *session.Conn) uint16 { return c.TCP.Ends[c.Client.Other()].Port }

// pair is the subject of what concerns a client host and a server rather than
// one connection between them: what is found on each of many attempts is
// folded.
func pair(c *session.Conn) Subject { return Subject{Conn: clientHost(c) + "-" + server(c), ConnID: -1} }

// clientVersion is what the client calls itself in CONNECT.
func clientVersion(c *session.Conn) string {
	if c.ClientVersion == "" {
		return "version unknown"
	}
	return c.ClientVersion
}

// party names who sends in a direction.
func party(d decode.Direction) string { return [...]string{"client", "broker"}[d] }

// ending is how a connection ended.
type ending struct {
	by  decode.Direction // which side closed it first
	how string           // FIN or RST
	at  reassembly.Position
}

// endingOf gives how a connection ended; false if it did not.
func endingOf(c *session.Conn) (x ending, ok bool) {
	side := c.TCP.FINFrom
	x.how, x.at = "FIN", c.TCP.Closing
	if side == reassembly.Nobody {
		side, x.how = c.TCP.RSTFrom, "RST"
	}
	if side == reassembly.Nobody {
		return x, false
	}
	x.by = c.DirectionOf(reassembly.Side(side))
	return x, true
}

// String is like "the broker closed the connection (FIN)".
func (x *ending) String() string {
	return "the " + party(x.by) + " closed the connection (" + x.how + ")"
}

// evidence is the packet that closed the connection.
func (x *ending) evidence(c *session.Conn) Evidence { return packet(c, x.how, x.at, x.by) }

// packet is a packet of a connection as evidence.
func packet(c *session.Conn, what string, at reassembly.Position, d decode.Direction) Evidence {
	return Evidence{Conn: c.Name, ConnID: c.ID, Type: what, Packet: at.Packet, Time: at.Time, Dir: d.String()}
}

// onlyOne adds to the subject of a connection the producer or consumer on it,
// where it has no other.
func onlyOne(s Subject, c *session.Conn) Subject {
	switch {
	case len(c.Producers) == 1 && len(c.Consumers) == 0:
		for _, p := range c.Producers {
			s.Topic, s.Producer = p.Topic, producerName(p)
		}
	case len(c.Producers) == 0 && len(c.Consumers) == 1:
		for _, x := range c.Consumers {
			s.Topic, s.Subscription, s.Consumer = x.Topic, x.Subscription, consumerName(x)
		}
	}
	return s
}
