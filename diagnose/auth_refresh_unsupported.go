package diagnose

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var authRefreshUnsupported = &Rule{
	Name:     "auth-refresh-unsupported",
	Severity: Warning,
	Title:    "Closed when the token expired: the client cannot renew it",
	Meaning: "The client did not set supports_auth_refresh in CONNECT, so that the broker cannot ask for a new token; it closes the " +
		"connection once the token has expired, and does so again each time.",
	Advice: "Use a client that supports renewing credentials (protocol version 14 or later with the feature flag), or tokens that live longer.",
	Blind:  "Credentials that are no token with a readable expiry (claim exp of a JWT).",
	Frames: []pb.BaseCommand_Type{pb.BaseCommand_CONNECT},
	Kinds:  []session.Kind{session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		expiries := perConn[expiry]{}
		return func(e *session.Event) {
			switch e.Kind {
			case session.FrameSeen:
				if at, ok := tokenExpiry(e.Frame); ok && !refreshes(e.Frame) {
					*expiries.of(e.Conn) = expiry{at, here(e)}
				}
			case session.ConnectionEnd:
				if x := expiries.end(e.Conn); x != nil {
					x.report(r, e.Conn)
				}
			}
		}
	},
}

// expiry is when the token of a CONNECT expires.
type expiry struct {
	at      int64 // ns since the Unix epoch
	connect Evidence
}

// expiryChecked is how often a broker looks for expired credentials, and some
// time for its clock to differ.
const expiryChecked = int64(90 * time.Second)

func (x *expiry) report(r *Reporter, c *session.Conn) {
	const clocksDiffer = int64(2 * time.Second)
	end, closed := endingOf(c)
	after := end.at.Time - x.at
	if !closed || end.by != decode.ServerToClient || after < -clocksDiffer || after > expiryChecked {
		return
	}
	r.Warn(pair(c), fmt.Sprintf("The token of %s (%s) expired at %s; %s at %s.", clientHost(c), clientVersion(c), clock(x.at), end.String(),
		clock(end.at.Time)), x.connect, end.evidence(c))
}

func refreshes(f *decode.Frame) bool {
	flags, ok := f.Base.Sub(f.Sub, field.CommandConnectFeatureFlags)
	if !ok {
		return false
	}
	v, _ := f.Base.Bool(flags, field.FeatureFlagsSupportsAuthRefresh)
	return v
}

// tokenExpiry reads the claim exp of a JWT (RFC 7519, section 4.1.4) in
// CONNECT, ns since the Unix epoch. Nothing else of the token is looked at.
func tokenExpiry(f *decode.Frame) (ns int64, ok bool) {
	parts := bytes.Split(f.Text(field.CommandConnectAuthData), []byte("."))
	if len(parts) != 3 {
		return 0, false
	}
	claims, err := base64.RawURLEncoding.AppendDecode(nil, bytes.TrimRight(parts[1], "="))
	if err != nil {
		return 0, false
	}
	var c struct {
		Expires float64 `json:"exp"`
	}
	if json.Unmarshal(claims, &c) != nil || c.Expires <= 0 || c.Expires > 1<<33 {
		return 0, false
	}
	return int64(c.Expires * 1e9), true
}
