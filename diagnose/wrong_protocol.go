package diagnose

import (
	"encoding/binary"
	"fmt"
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/session"
)

var wrongProtocol = &Rule{
	Name:     "wrong-protocol",
	Severity: Error,
	Title:    "Something other than Pulsar meets a Pulsar port, or the reverse",
	Meaning: "One side speaks TLS, HTTP or something else where the other one speaks Pulsar's binary protocol. A Pulsar peer takes " +
		"the first 4 bytes for the size of a frame and logs it: 369295620 is a TLS 1.0 hello, 1195725860 is GET, 1213486164 is HTTP.",
	Advice: "Check scheme and port of the service URL: pulsar:// with 6650, pulsar+ssl:// with 6651, http:// with 8080.",
	Blind:  "Which setting is wrong, that of the client or that of the server.",
	Kinds:  []session.Kind{session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		w := &wrongProtocolWatch{r: r, speaks: map[string]bool{}, tls: map[string]bool{}}
		return w.see
	},
}

// The usual ports of a broker.
const (
	plainPort = 6650
	tlsPort   = 6651
)

// strangersKept is how many connections of another protocol wait for the end,
// when it is known which ports are Pulsar's.
const strangersKept = 10_000

type wrongProtocolWatch struct {
	r       *Reporter
	speaks  map[string]bool // servers that answered in plain Pulsar
	tls     map[string]bool // servers that answered in TLS
	waiting []stranger
}

// stranger is a client that may be wrong at a server.
type stranger struct {
	Finding
	server   string
	port     uint16
	silently bool // a client of Pulsar that was sent away without a byte
}

func (w *wrongProtocolWatch) see(e *session.Event) {
	if e.Kind == session.RunEnd {
		w.finish()
		return
	}
	c := e.Conn
	switch encrypted := decrypt.FactsOf(c.TCP) != nil; {
	case c.Protocol == decode.Pulsar && c.Frames[decode.ServerToClient] > 0 && !encrypted:
		note(w.speaks, server(c))
	case encrypted && firstOf(c, decode.ServerToClient).isTLS():
		note(w.tls, server(c))
	}
	if !bothWays(c) || !captured(c) {
		return
	}
	if f, ok := w.answeredStrangely(c); ok {
		w.r.Report(f)
	} else if s, ok := w.strange(c); ok && len(w.waiting) < strangersKept {
		w.waiting = append(w.waiting, s)
	}
}

// answeredStrangely tells of a client of Pulsar that a server answers in
// another protocol, or whose PROXY preface is not taken.
func (w *wrongProtocolWatch) answeredStrangely(c *session.Conn) (f Finding, ok bool) {
	if c.Protocol != decode.Pulsar || c.Frames[decode.ServerToClient] > 0 {
		return f, false
	}
	first := firstOf(c, decode.ServerToClient)
	switch x, closed := endingOf(c); {
	case len(first) > 0:
		f.Detail = fmt.Sprintf("%s sent Pulsar to %s and got %s (%s).", clientHost(c), server(c), first.name(), first)
	case c.Proxy != nil && closed && x.by == decode.ServerToClient && c.TCP.Sides[c.Client.Other()].Bytes == 0:
		f.Detail = fmt.Sprintf("A proxy at %s put a PROXY header (version %d) in front of the client's first frame; %s closed the connection without a byte.",
			clientHost(c), c.Proxy.Version, server(c))
		f.Advice = "Set haProxyProtocolEnabled=true on the broker, or let the proxy send no PROXY header."
	default:
		return f, false
	}
	w.about(&f, c)
	return f, true
}

func (w *wrongProtocolWatch) about(f *Finding, c *session.Conn) {
	f.Severity, f.Subject = Error, pair(c)
	f.Evidence = append(f.Evidence, packet(c, "connection", c.TCP.First, decode.ClientToServer))
	if x, ok := endingOf(c); ok {
		f.Evidence = append(f.Evidence, x.evidence(c))
	}
}

// strange tells of a client that speaks something else, or of one that speaks
// plain Pulsar and is sent away: whether that is wrong depends on the port.
func (w *wrongProtocolWatch) strange(c *session.Conn) (s stranger, ok bool) {
	first := firstOf(c, decode.ClientToServer)
	unanswered := c.TCP.Sides[c.Client.Other()].Bytes == 0
	s.server, s.port = server(c), serverPort(c)
	switch x, closed := endingOf(c); {
	case !unanswered || !c.TCP.StartKnown(c.Client):
		return s, false
	case c.Protocol == decode.Pulsar && closed && x.by == decode.ServerToClient && decrypt.FactsOf(c.TCP) == nil:
		s.silently = true
		s.Detail = fmt.Sprintf("%s sent Pulsar without TLS to %s, which speaks TLS; %s after %s, without a byte.", clientHost(c), s.server, x.String(),
			lasting(x.at.Time-c.TCP.First.Time))
		s.Advice = "Use pulsar+ssl:// with this port, or pulsar:// with the port for plain connections."
	case c.Protocol != decode.Pulsar && len(first) > 0:
		s.Detail = fmt.Sprintf("%s sent %s to %s (%s)", clientHost(c), first.name(), s.server, first)
		if s.Detail += "."; closed {
			s.Detail = strings.TrimSuffix(s.Detail, ".") + "; " + x.String() + "."
		}
	default:
		return s, false
	}
	w.about(&s.Finding, c)
	if !s.silently && !first.isProtocol() {
		s.Severity = Warning
	}
	return s, true
}

// finish reports those at ports that turned out to be Pulsar's.
func (w *wrongProtocolWatch) finish() {
	for _, s := range w.waiting {
		plain := w.speaks[s.server] || s.port == plainPort && !w.tls[s.server] || w.r.isPort(s.port)
		if !s.silently && plain || s.silently && (s.port == tlsPort || w.tls[s.server]) {
			w.r.Report(s.Finding)
		}
	}
}

// opening is how a stream begins.
type opening []byte

func firstOf(c *session.Conn, d decode.Direction) opening {
	side := c.Client
	if d == decode.ServerToClient {
		side = side.Other()
	}
	return c.FirstBytes[side]
}

func (o opening) isTLS() bool { return strings.HasPrefix(string(o), "\x16\x03") }

// openings are beginnings of other protocols, and what they are.
var openings = []struct{ prefix, name string }{
	{"\x16\x03", "a TLS hello"},
	{"\x15\x03", "a TLS alert"},
	{"HTTP", "an HTTP answer"},
	{"GET ", httpRequest}, {"POST", httpRequest}, {"PUT ", httpRequest}, {"HEAD", httpRequest}, {"OPTI", httpRequest}, {"DELE", httpRequest},
	{"CONN", httpRequest},
	{"PRI ", "an HTTP/2 preface"},
	{"PROX", "a PROXY header"}, {"\r\n\r\n\x00\r\nQ", "a PROXY header"},
	{"SSH-", "an SSH banner"},
}

const (
	httpRequest  = "an HTTP request"
	unknownBytes = "bytes that are no frame of Pulsar"
)

// isProtocol says whether it is one that a client is set up to speak, rather
// than what a scan of ports sends.
func (o opening) isProtocol() bool {
	name := o.name()
	return name != unknownBytes && name != "an SSH banner"
}

// name says what the stream is.
func (o opening) name() string {
	for _, x := range openings {
		if strings.HasPrefix(string(o), x.prefix) {
			return x.name
		}
	}
	return unknownBytes
}

// String is the first bytes, and the size that a peer takes them for.
func (o opening) String() string {
	const shown = 8
	text := fmt.Sprintf("first bytes % x", []byte(o[:min(shown, len(o))]))
	if len(o) < 4 {
		return text
	}
	return text + fmt.Sprintf(", in a log a frame of %d bytes", uint64(binary.BigEndian.Uint32(o))+4)
}
