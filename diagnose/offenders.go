package diagnose

import (
	"fmt"
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/session"
)

// offender names who sent something in a direction of a connection: client,
// broker or proxy, with its version as far as it is known, like "client
// (lab-client 1.0, protocol version 21)".
func offender(c *session.Conn, d decode.Direction) string {
	version, protocol := c.ClientVersion, c.ClientProtocol
	if d == decode.ServerToClient {
		version, protocol = c.ServerVersion, c.ServerProtocol
	}
	who := role(c, d)
	switch {
	case version != "" && protocol >= 0:
		return fmt.Sprintf("%s (%s, protocol version %d)", who, version, protocol)
	case version != "":
		return who + " (" + version + ")"
	}
	return who + " (version not captured)"
}

// role is party, where a proxy is told from clients and brokers: what it sends
// on the back of a client. It passes frames on as they are, so that a fault may
// be that of the client, or of the broker behind it.
func role(c *session.Conn, d decode.Direction) string {
	for _, l := range c.Legs {
		switch {
		case l.Role == session.Back && d == decode.ClientToServer:
			return "proxy"
		case l.Role == session.Front && d == decode.ServerToClient:
			return "proxy"
		}
	}
	return party(d)
}

// requestIDOf is the request_id that a client gives a command, if it asks for
// an answer.
func requestIDOf(e *session.Event) (id uint64, ok bool) {
	c := e.Frame.Command
	if c == nil || c.RequestID == 0 || len(c.Responses) == 0 || e.Direction != decode.ClientToServer {
		return 0, false
	}
	return e.Frame.Uint(c.RequestID)
}

// issueText is the first issue of a frame that is of a kind, without the kind:
// "subscribe.topic" of missing_required; "" if there is none.
func issueText(f *decode.Frame, kind string) (text string) {
	f.EachIssue(func(issue string) {
		if where, what, ok := strings.Cut(issue, kind+":"); ok && text == "" {
			text = where + what
		}
	})
	return text
}

// statedMessages is num_messages of a SEND, 1 where it says nothing.
func statedMessages(f *decode.Frame) int {
	if n, ok := f.Uint(field.CommandSendNumMessages); ok {
		return int(int32(n))
	}
	return 1
}
