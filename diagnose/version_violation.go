package diagnose

import (
	"fmt"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var versionViolation = &Rule{
	Name:     "version-violation",
	Severity: Warning,
	Title:    "Command that the peer's protocol version does not have",
	Meaning: "Each side says its protocol version in CONNECT and CONNECTED, and may only send what the other's version knows; before " +
		"CONNECTED a client sends nothing but CONNECT and AUTH_RESPONSE. A peer may close the connection over it, or ignore the command.",
	Advice: "Fix the sender: let it look at the version of the peer before it uses the command.",
	Blind:  "Versions where CONNECT or CONNECTED was not captured.",
	Lint:   true,
	Frames: []pb.BaseCommand_Type{AllFrames},
	Start: func(r *Reporter) Watch {
		return func(e *session.Event) {
			if e.Kind == session.FrameSeen && e.Frame.Command != nil {
				tooNew(r, e)
				tooEarly(r, e)
			}
		}
	},
}

// tooNew looks for a command that came after the receiver's version.
func tooNew(r *Reporter, e *session.Event) {
	c, cmd := e.Conn, e.Frame.Command
	receiver, sender := c.ServerProtocol, proto.Client
	if e.Direction == decode.ServerToClient {
		receiver, sender = c.ClientProtocol, proto.Broker
	}
	if cmd.Since == 0 || receiver < 0 || receiver >= cmd.Since || cmd.SinceSender != proto.Both && cmd.SinceSender != sender {
		return
	}
	r.Report(Finding{Severity: Warning, Title: cmd.Name + " is newer than the peer's protocol version", Subject: about(e), Evidence: []Evidence{here(e)},
		Detail: fmt.Sprintf("The %s sent %s, which came with version %d, to a peer of version %d.", party(e.Direction), cmd.Name, cmd.Since, receiver)})
}

// beforeConnected are the commands that a client may send before CONNECTED.
var beforeConnected = map[pb.BaseCommand_Type]bool{
	pb.BaseCommand_CONNECT: true, pb.BaseCommand_AUTH_RESPONSE: true, pb.BaseCommand_PING: true, pb.BaseCommand_PONG: true,
}

// tooEarly looks for a command of a client before CONNECTED.
func tooEarly(r *Reporter, e *session.Event) {
	c := e.Conn
	if c.ServerProtocol >= 0 || e.Direction != decode.ClientToServer || beforeConnected[pb.BaseCommand_Type(e.Frame.Type)] {
		return
	}
	if !whole(c) || e.Frame.Command.Sender == proto.Broker {
		return
	}
	r.Report(Finding{Severity: Warning, Title: e.Frame.TypeName() + " before CONNECTED", Subject: about(e), Evidence: []Evidence{here(e)},
		Detail: fmt.Sprintf("The client sent %s before the broker had answered its CONNECT.", e.Frame.TypeName())})
}
