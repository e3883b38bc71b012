package decrypt

import "golang.org/x/crypto/cryptobyte"

// Types of handshake messages (RFC 8446, section 4; RFC 5246, section 7.4).
const (
	typeHelloRequest        = 0
	typeClientHello         = 1
	typeServerHello         = 2
	typeNewSessionTicket    = 4
	typeEncryptedExtensions = 8
	typeCertificate         = 11
	typeServerHelloDone     = 14
	typeClientKeyExchange   = 16
	typeFinished            = 20
	typeKeyUpdate           = 24
)

// messageHeader is the type and the length of a handshake message, in bytes.
const messageHeader = 4

// readers are the handshake messages that say something needed or worth
// showing. body is borrowed.
var readers = map[byte]func(d *Decrypter, t *connection, h *half, body []byte){
	typeClientHello:         (*Decrypter).clientHello,
	typeServerHello:         (*Decrypter).serverHello,
	typeNewSessionTicket:    (*Decrypter).newSessionTicket,
	typeEncryptedExtensions: (*Decrypter).encryptedExtensions,
	typeCertificate:         (*Decrypter).certificate,
	typeServerHelloDone:     (*Decrypter).serverHelloDone,
	typeClientKeyExchange:   (*Decrypter).clientKeyExchange,
	typeFinished:            (*Decrypter).finished,
	typeKeyUpdate:           (*Decrypter).keyUpdate,
}

// handshake takes the content of a handshake record, in which messages begin
// and end anywhere.
func (d *Decrypter) handshake(t *connection, h *half, b []byte) {
	for len(b) > 0 {
		if h.passing > 0 {
			n := min(h.passing, len(b))
			h.passing, b = h.passing-n, b[n:]
			continue
		}
		if len(h.message) < messageHeader {
			n := min(messageHeader-len(h.message), len(b))
			h.message, b = append(h.message, b[:n]...), b[n:]
			if len(h.message) < messageHeader {
				return
			}
		}
		size := messageHeader + int(h.message[1])<<16 + int(h.message[2])<<8 + int(h.message[3])
		if size > d.limits.HandshakeMessage {
			d.counters.LongHandshakes++
			h.passing, h.message = size-messageHeader, h.message[:0]
			continue
		}
		n := min(size-len(h.message), len(b))
		h.message, b = append(h.message, b[:n]...), b[n:]
		if len(h.message) == size {
			d.message(t, h, h.message)
			h.message = h.message[:0]
		}
	}
	if len(h.message) == 0 {
		h.message = nil
	}
}

func (d *Decrypter) message(t *connection, h *half, m []byte) {
	if read := readers[m[0]]; read != nil {
		read(d, t, h, m[messageHeader:])
	}
	t.n.record(t.roleOf(h.side), m)
	if m[0] == typeClientKeyExchange {
		t.n.exchanged = true
	}
}

func (d *Decrypter) clientHello(t *connection, h *half, body []byte) {
	var c clientHello
	if !c.parse(body) {
		return
	}
	t.begins(h)
	t.setClient(h.side)
	if n := t.n; n.hello && !(n.retried && n.clientRandom == c.random) {
		t.n = &negotiation{}
	}
	n := t.n
	n.early = c.earlyData && !n.retried
	n.hello, n.clientRandom = true, c.random
	n.sentID, n.offersID = len(c.sessionID) > 0, sessionByID(c.sessionID)
	n.sentTicket, n.offersTicket = len(c.ticket) > 0, sessionByTicket(c.ticket)
	f := t.facts
	f.Offered, f.ServerName, f.WantedALPN, f.Random = c.version, c.serverName, c.alpn, Random(c.random)
	f.EarlyData = f.EarlyData || c.earlyData
}

func (d *Decrypter) serverHello(t *connection, h *half, body []byte) {
	var s serverHello
	if !s.parse(body) {
		return
	}
	t.begins(h)
	t.setClient(h.side.Other())
	n := t.n
	if s.random == retryRandom {
		n.retried = true
		return
	}
	n.version, n.serverRandom = s.version, s.random
	n.suite, n.suiteID, n.compressed = suites[s.suite], s.suite, s.compression != 0
	n.extended, n.macOutside = s.extendedMaster, s.encryptThenMAC
	n.sentServerID, n.serverID = len(s.sessionID) > 0, sessionByID(s.sessionID)
	f := t.facts
	f.Version, f.Cipher, f.ALPN = s.version, suiteName(s.suite), s.alpn
	f.ExtendedMaster, f.EncryptThenMAC = s.extendedMaster, s.encryptThenMAC
	if s.psk && s.version == versionTLS13 {
		f.Resumed = ByPSK
	}
}

// newSessionTicket matters up to TLS 1.2, where its holder takes up the master
// secret again (RFC 5077, section 3.3).
func (d *Decrypter) newSessionTicket(t *connection, _ *half, body []byte) {
	s := cryptobyte.String(body)
	var lifetime uint32
	var ticket cryptobyte.String
	if t.n.version == versionTLS13 || !s.ReadUint32(&lifetime) || !s.ReadUint16LengthPrefixed(&ticket) || ticket.Empty() {
		return
	}
	t.n.newTicket, t.n.sentNewTicket = sessionByTicket(ticket), true
	d.rememberSession(t.n)
}

func (d *Decrypter) encryptedExtensions(t *connection, _ *half, body []byte) {
	s := cryptobyte.String(body)
	eachExtension(&s, func(id uint16, body cryptobyte.String) {
		if id != extALPN {
			return
		}
		if names := readALPN(body); len(names) > 0 {
			t.facts.ALPN = names[0]
		}
	})
}

func (d *Decrypter) certificate(t *connection, h *half, body []byte) {
	c := readCertificate(body, t.n.version)
	if t.roleOf(h.side) == client {
		t.facts.ClientCertificate = c
	} else {
		t.facts.Certificate = c
	}
}

func (d *Decrypter) serverHelloDone(t *connection, _ *half, _ []byte) { t.n.helloDone = true }

// clientKeyExchange has, with RSA key exchange, the encrypted premaster secret
// behind its length.
func (d *Decrypter) clientKeyExchange(t *connection, _ *half, body []byte) {
	s := cryptobyte.String(body)
	var encrypted cryptobyte.String
	if s.ReadUint16LengthPrefixed(&encrypted) {
		t.n.encrypted = append([]byte(nil), encrypted...)
	}
}

// finished ends a side's handshake: in TLS 1.3 the keys of the application
// follow.
func (d *Decrypter) finished(t *connection, h *half, _ []byte) {
	if t.n.version == versionTLS13 && h.stage == stageHandshake {
		h.stage, h.keys, h.seq = stageApplication, nil, 0
	}
}

func (d *Decrypter) keyUpdate(t *connection, h *half, _ []byte) {
	if t.n.version != versionTLS13 || h.stage != stageApplication || h.keys == nil {
		return
	}
	t.facts.KeyUpdates++
	h.use(t.n.suite, t.n.suite.nextSecret(h.secret))
}
