package decrypt

import (
	"bytes"
	"encoding/hex"
	"strings"
)

// keyKind says what a line of a key log holds.
type keyKind uint8

const (
	keyMaster            keyKind = iota // TLS 1.2: the master secret, by client random
	keyPremaster                        // TLS 1.2: the premaster secret, by client random
	keyClientHandshake                  // TLS 1.3: traffic secrets, by client random
	keyServerHandshake                  //
	keyClientApplication                //
	keyServerApplication                //
	keyKinds                            // how many are kept by client random
	keyRSA                              // the premaster secret, by the first 8 bytes of the encrypted one
	keySession                          // the master secret, by session id
)

// labels are the known labels. Those without CLIENT_ and those of the JDK's
// own names come from agents that log inside a Java process.
var labels = map[string]keyKind{
	"CLIENT_RANDOM":                       keyMaster,
	"PMS_CLIENT_RANDOM":                   keyPremaster,
	"CLIENT_HANDSHAKE_TRAFFIC_SECRET":     keyClientHandshake,
	"HANDSHAKE_TRAFFIC_SECRET":            keyClientHandshake,
	"SERVER_HANDSHAKE_TRAFFIC_SECRET":     keyServerHandshake,
	"CLIENT_TRAFFIC_SECRET_0":             keyClientApplication,
	"CLIENT_TRAFFIC_SECRET":               keyClientApplication,
	"TRAFFIC_SECRET_0":                    keyClientApplication,
	"CLIENT_APPLICATION_TRAFFIC_SECRET_0": keyClientApplication,
	"SERVER_TRAFFIC_SECRET_0":             keyServerApplication,
	"SERVER_TRAFFIC_SECRET":               keyServerApplication,
	"SERVER_APPLICATION_TRAFFIC_SECRET_0": keyServerApplication,
	"RSA":                                 keyRSA,
}

// Sizes, in bytes.
const (
	randomSize       = 32
	rsaPrefixSize    = 8
	longestSecret    = 64
	longestSessionID = 32
)

// keyLine is one line of a key log.
type keyLine struct {
	kind   keyKind
	id     []byte // client random, session id, or start of the encrypted premaster secret
	secret []byte
}

// parseKeyLine reads a line of a key log. False: a comment, a label that is of
// no use, or damage. NUL bytes are left out: a log that was truncated while it
// was written to begins with them, and one that was piped through some shells
// has one behind each letter.
func parseKeyLine(line []byte) (keyLine, bool) {
	if bytes.IndexByte(line, 0) >= 0 {
		line = bytes.ReplaceAll(line, []byte{0}, nil)
	}
	words := bytes.Fields(line)
	if len(words) != 3 {
		return keyLine{}, false
	}
	if id, ok := bytes.CutPrefix(words[1], []byte("Session-ID:")); ok && string(words[0]) == "RSA" {
		secret, ok := bytes.CutPrefix(words[2], []byte("Master-Key:"))
		return keyLineOf(keySession, id, secret, ok)
	}
	kind, ok := labels[strings.ToUpper(string(words[0]))]
	return keyLineOf(kind, words[1], words[2], ok)
}

func keyLineOf(kind keyKind, idHex, secretHex []byte, ok bool) (keyLine, bool) {
	if !ok || len(secretHex) > 2*longestSecret || len(idHex) > 2*longestSessionID {
		return keyLine{}, false
	}
	l := keyLine{kind, make([]byte, len(idHex)/2), make([]byte, len(secretHex)/2)}
	if _, err := hex.Decode(l.id, idHex); err != nil {
		return keyLine{}, false
	}
	if _, err := hex.Decode(l.secret, secretHex); err != nil {
		return keyLine{}, false
	}
	return l, l.fits()
}

// fits says whether id and secret have the sizes of their kind.
func (l *keyLine) fits() bool {
	switch l.kind {
	case keyMaster:
		return len(l.id) == randomSize && len(l.secret) == masterSecretSize
	case keyPremaster:
		return len(l.id) == randomSize && len(l.secret) > 0
	case keyRSA:
		return len(l.id) == rsaPrefixSize && len(l.secret) == masterSecretSize
	case keySession:
		return len(l.id) > 0 && len(l.secret) == masterSecretSize
	}
	return len(l.id) == randomSize && (len(l.secret) == 32 || len(l.secret) == 48)
}

// Random is the random of a client's hello (RFC 8446, section 4.1.2).
type Random [randomSize]byte

// KeyLogOf gives the lines of a key log with the secrets of connections with these
// randoms.
func KeyLogOf(text []byte, of map[Random]bool) (lines []byte) {
	for line := range bytes.Lines(text) {
		if l, ok := parseKeyLine(line); ok && len(l.id) == randomSize && of[Random(l.id)] {
			lines = append(append(lines, bytes.TrimSpace(bytes.ReplaceAll(line, []byte{0}, nil))...), '\n')
		}
	}
	return lines
}
