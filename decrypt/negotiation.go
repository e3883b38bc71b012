package decrypt

// role is what an endpoint is in the handshake.
type role uint8

const (
	client role = iota
	server
)

// negotiation is what one handshake has said so far. Up to TLS 1.2 a
// connection may have several.
type negotiation struct {
	hello         bool // the ClientHello was seen
	retried       bool // the server asked for another one
	early         bool // the ClientHello announces early data
	clientRandom  random
	offersID      sessionKey // of the session that the client wants to resume
	offersTicket  sessionKey
	sentID        bool
	sentTicket    bool
	version       uint16 // 0 until the ServerHello was seen
	serverRandom  random
	suite         *suite // nil if it cannot be opened
	suiteID       uint16
	compressed    bool
	extended      bool // extended master secret
	macOutside    bool // encrypt-then-MAC
	serverID      sessionKey
	sentServerID  bool
	helloDone     bool // the server said ServerHelloDone: no session is resumed
	newTicket     sessionKey
	sentNewTicket bool
	encrypted     []byte    // premaster secret, by the server's RSA key
	premaster     []byte    // the same opened
	tried         bool      // to open it
	flights       [2][]byte // messages up to the client's key exchange, by role, behind the ClientHello
	firstFlight   []byte    // the ClientHello
	exchanged     bool      // the client's key exchange was seen

	master []byte    // TLS 1.2: proved by a record
	pair   [2]opener // TLS 1.2: by role
}

// transcript is the handshake up to the client's key exchange (RFC 7627,
// section 3).
func (n *negotiation) transcript() []byte {
	b := append([]byte(nil), n.firstFlight...)
	b = append(b, n.flights[server]...)
	return append(b, n.flights[client]...)
}

// longestFlight is how many bytes of one role's messages are kept for the
// transcript. Certificates take a few thousand.
const longestFlight = 32 << 10

// record keeps a message for the transcript, as long as one may be needed.
func (n *negotiation) record(by role, message []byte) {
	switch {
	case n.version == versionTLS13 || n.version != 0 && !n.extended:
		n.forget()
	case n.exchanged || message[0] == typeHelloRequest || len(n.flights[by])+len(message) > longestFlight:
	case message[0] == typeClientHello:
		n.firstFlight = append(n.firstFlight[:0], message...)
	default:
		n.flights[by] = append(n.flights[by], message...)
	}
}

// forget drops the transcript.
func (n *negotiation) forget() { n.firstFlight, n.flights = nil, [2][]byte{} }

// candidates are the master secrets that the session may have, the likeliest
// first.
func (d *Decrypter) candidates(n *negotiation) (masters [][]byte) {
	add := func(m []byte) {
		if m != nil {
			masters = append(masters, m)
		}
	}
	if e := d.keys.of(n.clientRandom, keyMaster); e != nil {
		add(e[keyMaster])
		if e[keyPremaster] != nil {
			add(n.master12(e[keyPremaster]))
		}
	}
	if n.exchanged && n.suite.rsaKey && !n.tried {
		n.premaster, n.tried = d.keys.premaster(n.encrypted), true
	}
	if n.premaster != nil {
		add(n.master12(n.premaster))
	}
	if n.helloDone {
		return masters
	}
	if n.sentServerID {
		add(d.sessions.masters[n.serverID])
	}
	if n.sentTicket {
		add(d.sessions.masters[n.offersTicket])
	}
	return masters
}

func (n *negotiation) master12(premaster []byte) []byte {
	if n.extended {
		return n.deriveMaster(premaster, n.transcript())
	}
	return n.deriveMaster(premaster, nil)
}

// prove tries the candidates on the first protected record of a direction.
func (d *Decrypter) prove(n *negotiation, by role, r []byte) (found, fits bool) {
	for _, m := range d.candidates(n) {
		found = true
		pair, err := n.openers12(m)
		if err != nil {
			continue
		}
		if _, _, ok := pair[by].open(d.plain, 0, r); ok {
			n.pair, _ = n.openers12(m) // those used may have moved on
			n.master = m
			n.forget()
			d.rememberSession(n)
			return true, true
		}
	}
	return found, false
}

// rememberSession keeps the master secret for connections that resume the
// session.
func (d *Decrypter) rememberSession(n *negotiation) {
	if n.master == nil {
		return
	}
	if n.sentServerID {
		d.sessions.remember(n.serverID, n.master)
	}
	if n.sentNewTicket {
		d.sessions.remember(n.newTicket, n.master)
	}
}
