package decrypt

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"sync"
	"testing"
	"time"

	"pulsar-dissect/reassembly"
)

// wire is a connection that notes what is written to it.
type wire struct {
	net.Conn
	side reassembly.Side
	log  *wireLog
}

type wireLog struct {
	sync.Mutex
	chunks []chunk
}

func (w *wire) Write(b []byte) (int, error) {
	w.log.Lock()
	w.log.chunks = append(w.log.chunks, chunk{side: w.side, data: bytes.Clone(b)})
	w.log.Unlock()
	return w.Conn.Write(b)
}

// peers are the two ends of sessions of the standard library.
type peers struct {
	client, server *tls.Config
	keys           bytes.Buffer
}

func newPeers(t testing.TB) *peers {
	t.Helper()
	p := &peers{}
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p.server = &tls.Config{Certificates: []tls.Certificate{
		{Certificate: [][]byte{selfSigned(t, &ec.PublicKey, ec)}, PrivateKey: ec},
		{Certificate: [][]byte{selfSigned(t, &rsaKey.PublicKey, rsaKey)}, PrivateKey: rsaKey},
	}, MinVersion: tls.VersionTLS10}
	p.client = &tls.Config{InsecureSkipVerify: true, KeyLogWriter: &p.keys, ServerName: "broker.example", MinVersion: tls.VersionTLS10}
	return p
}

func selfSigned(t testing.TB, public, private any) []byte {
	t.Helper()
	x := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "broker.example"}, DNSNames: []string{"broker.example"},
		NotBefore: time.Unix(1_700_000_000, 0), NotAfter: time.Unix(1_800_000_000, 0)}
	der, err := x509.CreateCertificate(rand.Reader, x, x, public, private)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// session runs a connection: the client sends, the server answers with the
// same.
func (p *peers) session(t testing.TB, sent []byte) []chunk {
	t.Helper()
	a, b := loopback(t)
	log := &wireLog{}
	c := tls.Client(&wire{a, 0, log}, p.client)
	s := tls.Server(&wire{b, 1, log}, p.server)
	done := make(chan error, 1)
	go func() {
		got := make([]byte, len(sent))
		_, err := io.ReadFull(s, got)
		if err == nil {
			_, err = s.Write(got)
		}
		done <- err
	}()
	if _, err := c.Write(sent); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c, make([]byte, len(sent))); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	s.Close()
	c.Close()
	return log.chunks
}

// loopback is a connection of this process with itself.
func loopback(t testing.TB) (a, b net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("no loopback network: %v", err)
	}
	defer l.Close()
	if a, err = net.Dial("tcp", l.Addr().String()); err == nil {
		b, err = l.Accept()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []net.Conn{a, b} {
		end.SetDeadline(time.Now().Add(10 * time.Second))
	}
	return a, b
}

// Sessions of the standard library under every suite that it has.
func TestGoSuites(t *testing.T) {
	sent := make([]byte, 50_000)
	for i := range sent {
		sent[i] = byte(i * i)
	}
	for _, s := range append(tls.CipherSuites(), tls.InsecureCipherSuites()...) {
		if suites[s.ID] == nil {
			if s.ID&0xFF00 == 0x1300 || !bytes.Contains([]byte(s.Name), []byte("RC4")) {
				t.Errorf("%s cannot be opened", s.Name)
			}
			continue
		}
		for _, version := range s.SupportedVersions {
			p := newPeers(t)
			p.client.CipherSuites, p.client.MaxVersion = []uint16{s.ID}, version
			p.server.CipherSuites = p.client.CipherSuites
			chunks := recut(p.session(t, sent), 1448)
			got := play(t, newDecrypter(t, Options{}, p.keys.String()), chunks)[0]
			if !bytes.Equal(got.plain[0], sent) || !bytes.Equal(got.plain[1], sent) {
				t.Errorf("%s, %s: %d and %d bytes of plain text; sealed %v %q", s.Name, VersionName(version), len(got.plain[0]), len(got.plain[1]), got.sealed, got.why)
			}
			if version != tls.VersionTLS13 && got.facts.Cipher != s.Name || got.facts.Version != version || got.facts.ServerName != "broker.example" {
				t.Errorf("%s, %s: facts are %+v", s.Name, VersionName(version), got.facts)
			}
		}
	}
}

// Sessions that are resumed, by ticket and by pre-shared key. Up to TLS 1.2
// the log needs the secret of the first alone.
func TestGoResumed(t *testing.T) {
	for version, how := range map[uint16]Resumption{tls.VersionTLS12: ByTicket, tls.VersionTLS13: ByPSK} {
		p := newPeers(t)
		p.client.MaxVersion = version
		p.client.ClientSessionCache = tls.NewLRUClientSessionCache(4)
		var conns [][]chunk
		var first int
		for i := range 4 {
			conns = append(conns, p.session(t, []byte{byte(i), 1, 2, 3}))
			if i == 0 {
				first = p.keys.Len()
			}
		}
		keys := p.keys.String()
		if version == tls.VersionTLS12 {
			keys = keys[:first]
		}
		for i, got := range play(t, newDecrypter(t, Options{}, keys), conns...) {
			if !bytes.Equal(got.plain[0], []byte{byte(i), 1, 2, 3}) || !bytes.Equal(got.plain[1], got.plain[0]) || (got.facts.Resumed == how) != (i > 0) {
				t.Errorf("%s connection %d: %q, resumed %v, %q", VersionName(version), i, got.plain, got.facts.Resumed, got.why)
			}
		}
	}
}

// A client certificate and the protocol agreed on are shown, in TLS 1.3 with
// secrets alone.
func TestGoFacts(t *testing.T) {
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		p := newPeers(t)
		p.client.MaxVersion = version
		p.client.Certificates = p.server.Certificates[:1]
		p.server.ClientAuth = tls.RequireAnyClientCert
		p.client.NextProtos, p.server.NextProtos = []string{"pulsar", "other"}, []string{"pulsar"}
		chunks := p.session(t, []byte("x"))
		for _, keys := range []string{p.keys.String(), "# none"} {
			f := play(t, newDecrypter(t, Options{}, keys), chunks)[0].facts
			clear := version == tls.VersionTLS12
			open := clear || f.Keys
			if f.Keys != (keys != "# none") || (f.ALPN == "pulsar") != open || len(f.WantedALPN) != 2 ||
				(f.Certificate != nil) != open || (f.ClientCertificate != nil) != open {
				t.Errorf("%s: facts are %+v", VersionName(version), f)
			}
			if c := f.Certificate; c != nil && (c.Subject != "CN=broker.example" || !c.NotAfter.Equal(time.Unix(1_800_000_000, 0)) || c.Names[0] != "broker.example") {
				t.Errorf("%s: certificate is %+v", VersionName(version), c)
			}
		}
	}
}

// The sessions that are remembered are bounded; the oldest gives way.
func TestSessionLimit(t *testing.T) {
	d := newDecrypter(t, Options{Limits: Limits{Sessions: 3}})
	for i := range 5 {
		d.sessions.remember(sessionByID([]byte{byte(i)}), []byte{byte(i)})
	}
	if len(d.sessions.masters) != 3 || d.Counters().SessionLimit != 2 || d.sessions.masters[sessionByID([]byte{1})] != nil {
		t.Errorf("%d sessions, limit hit %d times", len(d.sessions.masters), d.Counters().SessionLimit)
	}
}
