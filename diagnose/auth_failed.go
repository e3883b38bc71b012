package diagnose

import (
	"fmt"
	"time"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var authFailed = &Rule{
	Name:     "auth-failed",
	Severity: Error,
	Title:    "Credentials were refused",
	Meaning: "AuthenticationError: the broker does not accept who the client says it is. AuthorizationError: it knows the role, but the " +
		"role may not do what was asked.",
	Advice: "AuthenticationError: check the method on both sides, the token's signature and expiry, user and password. " +
		"AuthorizationError: grant the role what it lacks (pulsar-admin namespaces grant-permission).",
	Blind:     "What is wrong with the credentials: the broker tells only its log.",
	Exchanges: exchangesOf(session.Connect, session.Auth, session.Request),
	Kinds:     []session.Kind{session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		w := &authWatch{r: r, open: perConn[session.Ref]{}}
		return w.see
	},
}

type authWatch struct {
	r    *Reporter
	open perConn[session.Ref] // CONNECT without an answer
}

func isAuthError(name string) bool {
	return name == "AuthenticationError" || name == "AuthorizationError"
}

// ownRules are requests whose refusals other rules tell of.
var ownRules = map[pb.BaseCommand_Type]bool{
	pb.BaseCommand_PRODUCER: true, pb.BaseCommand_LOOKUP: true, pb.BaseCommand_PARTITIONED_METADATA: true,
	pb.BaseCommand_SUBSCRIBE: true,
}

func (w *authWatch) see(e *session.Event) {
	switch e.Kind {
	case session.ExchangeSeen:
		w.exchange(e)
	case session.ConnectionEnd:
		if connect := w.open.end(e.Conn); connect != nil && complete(e.Conn) && closedOnCredentials(e.Conn) {
			w.sentAway(e.Conn, connect)
		}
	}
}

func (w *authWatch) exchange(e *session.Event) {
	x := e.Exchange
	switch {
	case x.Kind == session.Connect && x.Result == session.Unanswered && x.Why != "another_connect":
		*w.open.of(e.Conn) = x.Request
	case x.Result != session.Failed || !isAuthError(x.Error):
	case x.Kind == session.Connect:
		w.refused(e, "CONNECT", pair(e.Conn))
	case x.Kind == session.Auth:
		w.refused(e, "renewal", about(e))
	case x.Kind == session.Request && !ownRules[pb.BaseCommand_Type(x.Request.Type)]:
		w.refused(e, session.TypeName(&x.Request), about(e))
	}
}

func (w *authWatch) refused(e *session.Event, what string, s Subject) {
	c, x := e.Conn, e.Exchange
	w.r.Report(Finding{Severity: Error, Title: fmt.Sprintf("%s with auth method %s refused: %s", what, authMethod(c), x.Error), Subject: s, Evidence: sides(c, x),
		Detail: fmt.Sprintf("%s refused the %s of %s (%s) with %s%s.", server(c), what, clientHost(c), clientVersion(c), x.Error, quoted(x.Text))})
}

func authMethod(c *session.Conn) string {
	switch {
	case c.ClientProtocol < 0:
		return "unknown"
	case c.AuthMethod == "":
		return "none"
	}
	return c.AuthMethod
}

// closedOnCredentials says whether a broker closed a connection right after a
// CONNECT with credentials, as some do in place of an ERROR.
func closedOnCredentials(c *session.Conn) bool {
	const soon = int64(time.Second)
	x, closed := endingOf(c)
	return closed && x.by == decode.ServerToClient && authMethod(c) != "none" && c.Frames[decode.ServerToClient] == 0 &&
		x.at.Time-c.Heard[decode.ClientToServer].Time < soon
}

func (w *authWatch) sentAway(c *session.Conn, connect *session.Ref) {
	x, _ := endingOf(c)
	w.r.Report(Finding{Severity: Warning, Title: "Closed right after CONNECT with credentials", Subject: pair(c),
		Evidence: []Evidence{frame(c, connect), x.evidence(c)},
		Detail: fmt.Sprintf("%s closed the connection of %s %s after its CONNECT with auth method %s, without an answer.", server(c), clientHost(c),
			lasting(x.at.Time-connect.Time), authMethod(c))})
}
