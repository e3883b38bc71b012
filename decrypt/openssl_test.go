package decrypt

import (
	"slices"
	"strings"
	"testing"

	"pulsar-dissect/reassembly"
)

const (
	fromClient = "from the client, first\nsecond, of the client\n"
	fromServer = "from the server, first\nsecond, of the server\n"
)

// openSSL says what each connection of the recordings in testdata/tls is and
// holds.
var openSSL = []struct {
	name   string
	cipher string
	facts  Facts
	more   []Facts // of the connections behind the first
	client string  // what it sent, fromClient if empty
	server string
}{
	{name: "tls10", cipher: "TLS_RSA_WITH_AES_128_CBC_SHA", facts: Facts{Version: 0x0301, ExtendedMaster: true, EncryptThenMAC: true}},
	{name: "tls11", cipher: "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", facts: Facts{Version: 0x0302, ExtendedMaster: true, EncryptThenMAC: true}},
	{name: "tls12-ccm", cipher: "TLS_ECDHE_ECDSA_WITH_AES_128_CCM", facts: Facts{Version: 0x0303, ExtendedMaster: true}},
	{name: "tls12-ccm8", cipher: "TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8", facts: Facts{Version: 0x0303, ExtendedMaster: true}},
	{name: "tls12-dhe", cipher: "TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256", facts: Facts{Version: 0x0303, ExtendedMaster: true}},
	{name: "tls12-etm-sha256", cipher: "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", facts: Facts{Version: 0x0303, ExtendedMaster: true, EncryptThenMAC: true}},
	{name: "tls12-etm-sha384", cipher: "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384", facts: Facts{Version: 0x0303, ExtendedMaster: true, EncryptThenMAC: true}},
	{name: "tls12-rsa-etm", cipher: "TLS_RSA_WITH_AES_256_CBC_SHA", facts: Facts{Version: 0x0303, ExtendedMaster: true, EncryptThenMAC: true}},
	{name: "tls12-clientcert", cipher: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
		facts: Facts{Version: 0x0303, ExtendedMaster: true, ClientCertificate: &Certificate{Subject: "CN=ec.example", Names: []string{"ec.example"}}}},
	{name: "tls12-renegotiation", cipher: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", client: "before\nafter\n", server: "answer\n",
		facts: Facts{Version: 0x0303, ExtendedMaster: true}},
	{name: "tls12-sessionid", cipher: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", facts: Facts{Version: 0x0303, ExtendedMaster: true},
		more: []Facts{{Version: 0x0303, ExtendedMaster: true, Resumed: BySessionID}}},
	{name: "tls13-ccm", cipher: "TLS_AES_128_CCM_SHA256", facts: Facts{Version: 0x0304}},
	{name: "tls13-ccm8", cipher: "TLS_AES_128_CCM_8_SHA256", facts: Facts{Version: 0x0304}},
	{name: "tls13-padding", cipher: "TLS_AES_256_GCM_SHA384", facts: Facts{Version: 0x0304}},
	{name: "tls13-retry", cipher: "TLS_AES_256_GCM_SHA384", facts: Facts{Version: 0x0304}},
	{name: "tls13-keyupdate", cipher: "TLS_AES_256_GCM_SHA384", client: "before\nafter\nlast\n", server: "answer\nanother\n",
		facts: Facts{Version: 0x0304, KeyUpdates: 3}},
	{name: "tls13-early", cipher: "TLS_AES_256_GCM_SHA384", facts: Facts{Version: 0x0304},
		more: []Facts{{Version: 0x0304, Resumed: ByPSK, EarlyData: true}}},
	{name: "tls13-early-refused", cipher: "TLS_AES_256_GCM_SHA384", facts: Facts{Version: 0x0304},
		more: []Facts{{Version: 0x0304, EarlyData: true}}},
}

func TestOpenSSL(t *testing.T) {
	for _, x := range openSSL {
		t.Run(x.name, func(t *testing.T) {
			r := readRecording(t, x.name)
			out := play(t, newDecrypter(t, Options{}, r.keys...), r.conns...)
			if len(out) != 1+len(x.more) {
				t.Fatalf("%d connections", len(out))
			}
			for i, p := range out {
				want := slices.Concat([]Facts{x.facts}, x.more)[i]
				want.Cipher = x.cipher
				checkFacts(t, p.facts, &want)
				checkPlain(t, p, orElse(x.client, fromClient), orElse(x.server, fromServer))
			}
		})
	}
}

func orElse(s, usual string) string {
	if s == "" {
		return usual
	}
	return s
}

func checkPlain(t *testing.T, p *played, client, server string) {
	t.Helper()
	for side, want := range []string{client, server} {
		if got := string(p.plain[side]); got != want {
			t.Errorf("side %d sent %q, expected %q; sealed %d: %q", side, got, want, p.sealed[side], p.why[side])
		}
	}
}

func checkFacts(t *testing.T, got, want *Facts) {
	t.Helper()
	if got.Version != want.Version || got.Cipher != want.Cipher || got.Resumed != want.Resumed ||
		got.ExtendedMaster != want.ExtendedMaster || got.EncryptThenMAC != want.EncryptThenMAC ||
		got.EarlyData != want.EarlyData || got.KeyUpdates != want.KeyUpdates || !got.Keys || got.Why != "" {
		t.Errorf("facts are %+v, expected %+v", got, want)
	}
	if w := want.ClientCertificate; w != nil {
		g := got.ClientCertificate
		if g == nil || g.Subject != w.Subject || !slices.Equal(g.Names, w.Names) || g.NotAfter.IsZero() {
			t.Errorf("client certificate is %+v, expected %+v", g, w)
		}
	}
}

// Records may come in any pieces.
func TestPieces(t *testing.T) {
	for _, x := range openSSL {
		r := readRecording(t, x.name)
		for _, size := range []int{1, 2, 3, 5, 7, 100} {
			var conns [][]chunk
			for _, c := range r.conns {
				conns = append(conns, recut(c, size))
			}
			for _, p := range play(t, newDecrypter(t, Options{}, r.keys...), conns...) {
				checkPlain(t, p, orElse(x.client, fromClient), orElse(x.server, fromServer))
			}
		}
	}
}

// Plain text comes with the packet that completed its record, in whatever
// pieces the record came.
func TestCompletingPacket(t *testing.T) {
	r := readRecording(t, "tls13-keyupdate")
	pieces := recut(r.conns[0], 7)
	ends := map[uint64]bool{}
	var streams [2][]byte
	var next [2]int
	for i, c := range pieces {
		s := append(streams[c.side], c.data...)
		streams[c.side] = s
		for len(s)-next[c.side] >= recordHeader && len(s)-next[c.side] >= recordSize(s[next[c.side]:]) {
			next[c.side] += recordSize(s[next[c.side]:])
			ends[uint64(i+1)] = true
		}
	}
	n := 0
	for e := range newDecrypter(t, Options{}, r.keys...).Events(connections([][]chunk{pieces})) {
		if e.Kind != reassembly.Data {
			continue
		}
		if n++; !ends[e.At.Packet] {
			t.Errorf("%q comes with packet %d, which completes no record", e.Data, e.At.Packet)
		}
	}
	if n != 5 {
		t.Errorf("%d events with plain text", n)
	}
}

// With the server's key, or a line of the log that has the premaster secret,
// RSA key exchange needs no master secret.
func TestRSAKeyExchange(t *testing.T) {
	for _, name := range []string{"tls10", "tls12-rsa-etm"} {
		r := readRecording(t, name)
		premaster := slices.DeleteFunc(slices.Clone(r.keys), func(l string) bool { return !strings.HasPrefix(l, "RSA ") })
		for what, d := range map[string]*Decrypter{
			"server key":     newDecrypter(t, Options{ServerKeys: []string{serverKeyPath(t)}}),
			"premaster line": newDecrypter(t, Options{}, premaster...),
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				checkPlain(t, play(t, d, r.conns...)[0], fromClient, fromServer)
			})
		}
	}
}

// The server's key opens nothing where the key exchange is another.
func TestServerKeyOfNoUse(t *testing.T) {
	r := readRecording(t, "tls12-etm-sha384")
	p := play(t, newDecrypter(t, Options{ServerKeys: []string{serverKeyPath(t)}}), r.conns...)[0]
	checkPlain(t, p, "", "")
	if p.facts.Why != reasonNoSecret || p.facts.Keys {
		t.Errorf("facts are %+v", p.facts)
	}
}

// Early data is named and not opened, also where the server refuses it.
func TestEarlyData(t *testing.T) {
	for _, name := range []string{"tls13-early", "tls13-early-refused"} {
		r := readRecording(t, name)
		p := play(t, newDecrypter(t, Options{}, r.keys...), r.conns...)[1]
		if len(p.why[0]) != 1 || p.why[0][0] != reasonEarly || p.sealed[0] < int64(len("sent early\n")) || p.sealed[1] != 0 {
			t.Errorf("%s: sealed %v: %q", name, p.sealed, p.why)
		}
	}
}

// Without the secrets of the handshake those of the application are enough.
func TestApplicationSecretsAlone(t *testing.T) {
	r := readRecording(t, "tls13-ccm")
	keys := slices.DeleteFunc(slices.Clone(r.keys), func(l string) bool { return strings.Contains(l, "HANDSHAKE") })
	p := play(t, newDecrypter(t, Options{}, keys...), r.conns...)[0]
	checkPlain(t, p, fromClient, fromServer)
	if p.sealed != [2]int64{} || p.facts.Why != "" {
		t.Errorf("sealed %v, facts %+v", p.sealed, p.facts)
	}
}

// Secrets of one direction open that one alone.
func TestOneDirection(t *testing.T) {
	r := readRecording(t, "tls13-ccm")
	keys := slices.DeleteFunc(slices.Clone(r.keys), func(l string) bool { return strings.HasPrefix(l, "CLIENT") })
	p := play(t, newDecrypter(t, Options{}, keys...), r.conns...)[0]
	checkPlain(t, p, "", fromServer)
	if !p.facts.Keys || p.facts.Why != reasonNoSecret || len(p.why[0]) != 1 || p.why[0][0] != reasonNoSecret || p.sealed[0] == 0 {
		t.Errorf("sealed %v: %q, facts %+v", p.sealed, p.why, p.facts)
	}
}
