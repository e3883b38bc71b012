package scrub

import (
	"encoding/binary"

	"golang.org/x/crypto/cryptobyte"

	"pulsar-dissect/decrypt"
)

// Types of handshake messages that are not overwritten (RFC 8446, section 4; RFC
// 5246, section 7.4).
const (
	helloOfClient       = 1
	helloOfServer       = 2
	certificatesMessage = 11
)

const (
	sizeVersion = 2
	sizeRandom  = 32
)

// message replaces the body of a handshake message in place.
func (s *Streams) message(t *tlsConn, kind byte, body []byte) {
	switch kind {
	case helloOfClient:
		s.clientHello(body)
	case helloOfServer:
		if len(body) >= sizeVersion+sizeRandom && decrypt.IsRetry(body[sizeVersion:][:sizeRandom]) {
			t.retried = true
		}
		s.serverHello(body)
	case certificatesMessage:
		s.certificates(body)
	default:
		mask(body)
	}
}

// clientHello replaces randoms, session and extensions.
func (s *Streams) clientHello(body []byte) {
	r := cryptobyte.String(body)
	var suites, compressions cryptobyte.String
	if !s.helloStart(&r) || !r.ReadUint16LengthPrefixed(&suites) || !r.ReadUint8LengthPrefixed(&compressions) {
		mask(body)
		return
	}
	s.extensions(r, true)
}

func (s *Streams) serverHello(body []byte) {
	const suiteAndCompression = 3
	r := cryptobyte.String(body)
	if !s.helloStart(&r) || !r.Skip(suiteAndCompression) {
		mask(body)
		return
	}
	s.extensions(r, false)
}

// helloStart replaces what both hellos begin with: random and session.
func (s *Streams) helloStart(r *cryptobyte.String) bool {
	var random []byte
	var session cryptobyte.String
	if !r.Skip(sizeVersion) || !r.ReadBytes(&random, sizeRandom) || !r.ReadUint8LengthPrefixed(&session) {
		return false
	}
	if !decrypt.IsRetry(random) {
		s.names.random(random)
	}
	s.names.random(session)
	return true
}

// extensions replaces what is in extensions. Their numbers and sizes stay.
func (s *Streams) extensions(r cryptobyte.String, ofClient bool) {
	var list, body cryptobyte.String
	if len(r) < 2 || !r.ReadUint16LengthPrefixed(&list) {
		mask(r)
		return
	}
	mask(r)
	for !list.Empty() {
		var id uint16
		if rest := list; !list.ReadUint16(&id) || !list.ReadUint16LengthPrefixed(&body) {
			mask(rest)
			return
		}
		if replace, ok := extensions[id]; ok {
			replace(s, body, ofClient)
		} else {
			s.names.random(body)
		}
	}
}

// extensions are those that are not overwritten whole (IANA registry "TLS
// ExtensionType Values"): what tells of versions and algorithms stays.
var extensions = map[uint16]func(s *Streams, body []byte, ofClient bool){
	0:     (*Streams).serverName,
	1:     keptExtension, // max_fragment_length
	10:    keptExtension, // supported_groups
	11:    keptExtension, // ec_point_formats
	13:    keptExtension, // signature_algorithms
	16:    keptExtension, // application_layer_protocol_negotiation
	22:    keptExtension, // encrypt_then_mac
	23:    keptExtension, // extended_master_secret
	27:    keptExtension, // compress_certificate
	28:    keptExtension, // record_size_limit
	41:    (*Streams).preSharedKey,
	43:    keptExtension, // supported_versions
	45:    keptExtension, // psk_key_exchange_modes
	50:    keptExtension, // signature_algorithms_cert
	51:    (*Streams).keyShare,
	65281: (*Streams).renegotiation,
}

func keptExtension(*Streams, []byte, bool) {}

// serverName replaces the name (RFC 6066, section 3).
func (s *Streams) serverName(body []byte, _ bool) {
	const ahead = 5 // size of the list, type, size of the name
	if len(body) <= ahead || int(binary.BigEndian.Uint16(body[ahead-2:])) != len(body)-ahead {
		mask(body[min(len(body), ahead):])
		return
	}
	copy(body[ahead:], s.host(string(body[ahead:])))
}

// preSharedKey overwrites tickets; the server's answer is a number (RFC 8446,
// section 4.2.11).
func (s *Streams) preSharedKey(body []byte, ofClient bool) {
	if ofClient {
		s.names.random(body)
	}
}

// keyShare overwrites the keys, not their groups (RFC 8446, section 4.2.8). The
// answer to a hello that is to be sent again names a group only.
func (s *Streams) keyShare(body []byte, ofClient bool) {
	const sizeGroup = 2
	r := cryptobyte.String(body)
	if ofClient {
		r.Skip(2) // size of the list
	}
	for len(r) > sizeGroup {
		var key cryptobyte.String
		if r.Skip(sizeGroup); !r.ReadUint16LengthPrefixed(&key) {
			s.names.random(r)
			return
		}
		s.names.random(key)
	}
}

// renegotiation overwrites what proves an earlier handshake (RFC 5746).
func (s *Streams) renegotiation(body []byte, _ bool) {
	if len(body) > 1 {
		s.names.random(body[1:])
	}
}
