package render

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
)

// closing says how a connection ended, and which side began it: Nobody where it
// was open to the end of the capture.
func closing(c *session.Conn) (how string, by int8) {
	switch {
	case c.TCP.RSTFrom != reassembly.Nobody:
		return "rst", c.TCP.RSTFrom
	case c.TCP.FINFrom != reassembly.Nobody:
		return "fin", c.TCP.FINFrom
	}
	return "open", reassembly.Nobody
}

// sideName is client or server.
func sideName(c *session.Conn, side int8) string {
	if reassembly.Side(side) == c.Client {
		return "client"
	}
	return "server"
}

// closer is the direction in which the end came.
func closer(c *session.Conn) decode.Direction {
	if _, by := closing(c); by != reassembly.Nobody {
		return c.DirectionOf(reassembly.Side(by))
	}
	return decode.ClientToServer
}

var closeWords = map[string]string{"fin": "closed", "rst": "reset"}

// closed says in words how a connection ended.
func closed(c *session.Conn) string {
	how, by := closing(c)
	if by == reassembly.Nobody {
		return "open"
	}
	return sideName(c, by) + " " + closeWords[how]
}
