package decrypt

import (
	"time"

	"pulsar-dissect/reassembly"
)

// Facts is what the handshake and the alerts of a TLS connection say. It hangs
// on reassembly.Conn and grows as the connection goes on; FactsOf finds it.
// All text in it is as the peers sent it.
type Facts struct {
	Version    uint16   // agreed on (RFC 8446, section 4.2.1), 0 until the server's hello
	Offered    uint16   // highest version that the client offered, 0 if its hello was not captured
	Cipher     string   // name of the cipher suite agreed on, or its number as 0x1234
	ServerName string   // that the client asked for (RFC 6066, section 3)
	ALPN       string   // protocol agreed on (RFC 7301); TLS 1.3 encrypts it
	WantedALPN []string // protocols that the client offered, at most 8
	Random     Random   // of the client's last hello, by which key logs name the connection; zeros if it was not captured

	Certificate       *Certificate // of the server; TLS 1.3 encrypts it
	ClientCertificate *Certificate
	Resumed           Resumption
	ExtendedMaster    bool // the session has an extended master secret (RFC 7627)
	EncryptThenMAC    bool // RFC 7366
	EarlyData         bool // the client sent, or meant to send, data with its first flight (0-RTT)
	KeyUpdates        int  // in both directions

	Alerts []Alert // at most 8, in order

	FirstBytes [2][]byte // by Side: of its first packet with data, at most 32

	Keys bool   // secrets were found that open at least one record
	Why  string // why records could not be opened, empty if all could
}

// Alert is a TLS alert (RFC 8446, section 6).
type Alert struct {
	From        reassembly.Side
	Fatal       bool // the sender ended the connection over it
	Code        byte
	Description string
	At          reassembly.Position
}

// Certificate is the part of a certificate that helps to find mistakes.
type Certificate struct {
	Subject  string // distinguished name (RFC 2253)
	Issuer   string
	Names    []string // DNS names and addresses it is for, at most 16
	NotAfter time.Time
	Fault    string // why it could not be read; then all else is empty
}

// Resumption says how a session was taken up again.
type Resumption uint8

// The ways to resume a session.
const (
	NotResumed  Resumption = iota
	BySessionID            // RFC 5246, section 7.3
	ByTicket               // RFC 5077
	ByPSK                  // RFC 8446, section 2.2
)

// String is the name that the JSON output uses.
func (r Resumption) String() string { return [...]string{"", "session_id", "ticket", "psk"}[r] }

// Limits of what is kept.
const (
	mostAlerts = 8
	mostALPN   = 8
	mostNames  = 16
	firstBytes = 32
)

// FactsOf gives what is known of a connection's TLS, nil if it has none.
func FactsOf(c *reassembly.Conn) *Facts {
	if t, ok := c.Encryption.(*connection); ok {
		return t.facts
	}
	f, _ := c.Encryption.(*Facts)
	return f
}

// VersionName is the usual name of a version, "" for 0.
func VersionName(v uint16) string {
	switch {
	case v == 0:
		return ""
	case v == 0x0300:
		return "SSL 3.0"
	case v>>8 == 3 && v <= versionTLS13:
		return "TLS 1." + string(rune('0'+v-versionTLS10))
	}
	return hex16(v)
}

// note tells why something could not be opened; the first reason stays.
func (f *Facts) note(reason string) {
	if f.Why == "" {
		f.Why = reason
	}
}
