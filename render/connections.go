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

// closed says in words how a connection ended: "client closed, then reset".
func closed(c *session.Conn) string {
	how, by := closing(c)
	if by == reassembly.Nobody {
		return "open"
	}
	if first := closedBefore(c); first != reassembly.Nobody {
		return sideName(c, first) + " closed, then " + after(c, first, by) + "reset"
	}
	return sideName(c, by) + " " + closeWords[how]
}

// closedBefore is the side whose FIN came before a connection was reset: Nobody
// where it was not reset, or at once.
func closedBefore(c *session.Conn) int8 {
	if c.TCP.RSTFrom == reassembly.Nobody {
		return reassembly.Nobody
	}
	return c.TCP.FINFrom
}

// after names the side that ends a connection, where another one began to.
func after(c *session.Conn, first, by int8) string {
	if first == by {
		return ""
	}
	return sideName(c, by) + " "
}
