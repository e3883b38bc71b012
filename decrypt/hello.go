package decrypt

import "golang.org/x/crypto/cryptobyte"

// Extensions that are read (IANA registry "TLS ExtensionType Values").
const (
	extServerName        = 0
	extALPN              = 16
	extEncryptThenMAC    = 22
	extExtendedMaster    = 23
	extSessionTicket     = 35
	extPreSharedKey      = 41
	extEarlyData         = 42
	extSupportedVersions = 43
)

// clientHello is what is read of a ClientHello (RFC 8446, section 4.1.2).
type clientHello struct {
	version    uint16 // highest offered
	random     random
	sessionID  []byte
	ticket     []byte // of a session to resume
	serverName string
	alpn       []string
	earlyData  bool
}

// serverHello is what is read of a ServerHello (RFC 8446, section 4.1.3; RFC
// 5246, section 7.4.1.3).
type serverHello struct {
	version        uint16
	random         random
	sessionID      []byte
	suite          uint16
	compression    uint8
	alpn           string
	psk            bool // a pre-shared key was chosen
	extendedMaster bool
	encryptThenMAC bool
}

// retryRandom is the random of a ServerHello that asks for another ClientHello
// (RFC 8446, section 4.1.3).
var retryRandom = random{
	0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91,
	0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
}

// IsRetry says whether the random of a ServerHello asks for another ClientHello.
func IsRetry(r []byte) bool { return string(r) == string(retryRandom[:]) }

func (h *clientHello) parse(body []byte) bool {
	s := cryptobyte.String(body)
	var id, suites, compressions cryptobyte.String
	if !s.ReadUint16(&h.version) || !s.CopyBytes(h.random[:]) || !s.ReadUint8LengthPrefixed(&id) ||
		!s.ReadUint16LengthPrefixed(&suites) || !s.ReadUint8LengthPrefixed(&compressions) {
		return false
	}
	h.sessionID = id
	return eachExtension(&s, h.extension)
}

func (h *clientHello) extension(id uint16, body cryptobyte.String) {
	switch id {
	case extServerName:
		h.serverName = readServerName(body)
	case extALPN:
		h.alpn = readALPN(body)
	case extSessionTicket:
		h.ticket = body
	case extEarlyData:
		h.earlyData = true
	case extSupportedVersions:
		var list cryptobyte.String
		body.ReadUint8LengthPrefixed(&list)
		for v := uint16(0); list.ReadUint16(&v); {
			if v > h.version && v <= versionTLS13 { // higher ones only test the peer's tolerance
				h.version = v
			}
		}
	}
}

func (h *serverHello) parse(body []byte) bool {
	s := cryptobyte.String(body)
	var id cryptobyte.String
	if !s.ReadUint16(&h.version) || !s.CopyBytes(h.random[:]) || !s.ReadUint8LengthPrefixed(&id) ||
		!s.ReadUint16(&h.suite) || !s.ReadUint8(&h.compression) {
		return false
	}
	h.sessionID = id
	return eachExtension(&s, h.extension)
}

func (h *serverHello) extension(id uint16, body cryptobyte.String) {
	switch id {
	case extSupportedVersions:
		body.ReadUint16(&h.version)
	case extALPN:
		if names := readALPN(body); len(names) > 0 {
			h.alpn = names[0]
		}
	case extPreSharedKey:
		h.psk = true
	case extExtendedMaster:
		h.extendedMaster = true
	case extEncryptThenMAC:
		h.encryptThenMAC = true
	}
}

// eachExtension reads the extensions that may follow in s.
func eachExtension(s *cryptobyte.String, take func(id uint16, body cryptobyte.String)) bool {
	if s.Empty() {
		return true
	}
	var list, body cryptobyte.String
	if !s.ReadUint16LengthPrefixed(&list) {
		return false
	}
	for !list.Empty() {
		var id uint16
		if !list.ReadUint16(&id) || !list.ReadUint16LengthPrefixed(&body) {
			return false
		}
		take(id, body)
	}
	return true
}

func readServerName(body cryptobyte.String) string {
	var list, name cryptobyte.String
	var kind uint8
	if body.ReadUint16LengthPrefixed(&list) && list.ReadUint8(&kind) && kind == 0 && list.ReadUint16LengthPrefixed(&name) {
		return string(name)
	}
	return ""
}

func readALPN(body cryptobyte.String) (names []string) {
	var list, name cryptobyte.String
	body.ReadUint16LengthPrefixed(&list)
	for len(names) < mostALPN && list.ReadUint8LengthPrefixed(&name) {
		names = append(names, string(name))
	}
	return names
}
