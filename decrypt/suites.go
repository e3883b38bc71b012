package decrypt

import (
	"crypto"
	"strings"

	_ "crypto/md5"    // hash of TLS 1.0 and 1.1
	_ "crypto/sha1"   // the same, and of the CBC suites
	_ "crypto/sha256" // hash of most suites
	_ "crypto/sha512" // SHA-384
)

// suite is a cipher suite that can be opened.
type suite struct {
	id     uint16
	name   string
	rsaKey bool        // the premaster secret is encrypted with the server's RSA key
	cipher *cipherKind // how records are protected
	hash   crypto.Hash // of the key schedule
	mac    crypto.Hash // of the CBC suites' MAC
}

// suiteNames are the suites of the IANA registry "TLS Cipher Suites" whose
// ciphers are in cipherKinds. All else about them is read from the name.
var suiteNames = []struct {
	id   uint16
	name string
}{
	{0x1301, "TLS_AES_128_GCM_SHA256"},
	{0x1302, "TLS_AES_256_GCM_SHA384"},
	{0x1303, "TLS_CHACHA20_POLY1305_SHA256"},
	{0x1304, "TLS_AES_128_CCM_SHA256"},
	{0x1305, "TLS_AES_128_CCM_8_SHA256"},

	{0x000A, "TLS_RSA_WITH_3DES_EDE_CBC_SHA"},
	{0x002F, "TLS_RSA_WITH_AES_128_CBC_SHA"},
	{0x0035, "TLS_RSA_WITH_AES_256_CBC_SHA"},
	{0x003C, "TLS_RSA_WITH_AES_128_CBC_SHA256"},
	{0x003D, "TLS_RSA_WITH_AES_256_CBC_SHA256"},
	{0x009C, "TLS_RSA_WITH_AES_128_GCM_SHA256"},
	{0x009D, "TLS_RSA_WITH_AES_256_GCM_SHA384"},
	{0xC09C, "TLS_RSA_WITH_AES_128_CCM"},
	{0xC09D, "TLS_RSA_WITH_AES_256_CCM"},
	{0xC0A0, "TLS_RSA_WITH_AES_128_CCM_8"},
	{0xC0A1, "TLS_RSA_WITH_AES_256_CCM_8"},

	{0x0016, "TLS_DHE_RSA_WITH_3DES_EDE_CBC_SHA"},
	{0x0033, "TLS_DHE_RSA_WITH_AES_128_CBC_SHA"},
	{0x0039, "TLS_DHE_RSA_WITH_AES_256_CBC_SHA"},
	{0x0067, "TLS_DHE_RSA_WITH_AES_128_CBC_SHA256"},
	{0x006B, "TLS_DHE_RSA_WITH_AES_256_CBC_SHA256"},
	{0x009E, "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256"},
	{0x009F, "TLS_DHE_RSA_WITH_AES_256_GCM_SHA384"},
	{0xC09E, "TLS_DHE_RSA_WITH_AES_128_CCM"},
	{0xC09F, "TLS_DHE_RSA_WITH_AES_256_CCM"},
	{0xC0A2, "TLS_DHE_RSA_WITH_AES_128_CCM_8"},
	{0xC0A3, "TLS_DHE_RSA_WITH_AES_256_CCM_8"},
	{0xCCAA, "TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256"},

	{0x0032, "TLS_DHE_DSS_WITH_AES_128_CBC_SHA"},
	{0x0038, "TLS_DHE_DSS_WITH_AES_256_CBC_SHA"},
	{0x0040, "TLS_DHE_DSS_WITH_AES_128_CBC_SHA256"},
	{0x006A, "TLS_DHE_DSS_WITH_AES_256_CBC_SHA256"},
	{0x00A2, "TLS_DHE_DSS_WITH_AES_128_GCM_SHA256"},
	{0x00A3, "TLS_DHE_DSS_WITH_AES_256_GCM_SHA384"},

	{0x0034, "TLS_DH_anon_WITH_AES_128_CBC_SHA"},
	{0x003A, "TLS_DH_anon_WITH_AES_256_CBC_SHA"},
	{0x006C, "TLS_DH_anon_WITH_AES_128_CBC_SHA256"},
	{0x006D, "TLS_DH_anon_WITH_AES_256_CBC_SHA256"},
	{0x00A6, "TLS_DH_anon_WITH_AES_128_GCM_SHA256"},
	{0x00A7, "TLS_DH_anon_WITH_AES_256_GCM_SHA384"},

	{0xC004, "TLS_ECDH_ECDSA_WITH_AES_128_CBC_SHA"},
	{0xC005, "TLS_ECDH_ECDSA_WITH_AES_256_CBC_SHA"},
	{0xC025, "TLS_ECDH_ECDSA_WITH_AES_128_CBC_SHA256"},
	{0xC026, "TLS_ECDH_ECDSA_WITH_AES_256_CBC_SHA384"},
	{0xC02D, "TLS_ECDH_ECDSA_WITH_AES_128_GCM_SHA256"},
	{0xC02E, "TLS_ECDH_ECDSA_WITH_AES_256_GCM_SHA384"},
	{0xC00E, "TLS_ECDH_RSA_WITH_AES_128_CBC_SHA"},
	{0xC00F, "TLS_ECDH_RSA_WITH_AES_256_CBC_SHA"},
	{0xC029, "TLS_ECDH_RSA_WITH_AES_128_CBC_SHA256"},
	{0xC02A, "TLS_ECDH_RSA_WITH_AES_256_CBC_SHA384"},
	{0xC031, "TLS_ECDH_RSA_WITH_AES_128_GCM_SHA256"},
	{0xC032, "TLS_ECDH_RSA_WITH_AES_256_GCM_SHA384"},

	{0xC008, "TLS_ECDHE_ECDSA_WITH_3DES_EDE_CBC_SHA"},
	{0xC009, "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA"},
	{0xC00A, "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA"},
	{0xC023, "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256"},
	{0xC024, "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384"},
	{0xC02B, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"},
	{0xC02C, "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"},
	{0xC0AC, "TLS_ECDHE_ECDSA_WITH_AES_128_CCM"},
	{0xC0AD, "TLS_ECDHE_ECDSA_WITH_AES_256_CCM"},
	{0xC0AE, "TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8"},
	{0xC0AF, "TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8"},
	{0xCCA9, "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"},

	{0xC012, "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA"},
	{0xC013, "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"},
	{0xC014, "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA"},
	{0xC027, "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256"},
	{0xC028, "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384"},
	{0xC02F, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"},
	{0xC030, "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"},
	{0xCCA8, "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"},
	{0xC018, "TLS_ECDH_anon_WITH_AES_128_CBC_SHA"},
	{0xC019, "TLS_ECDH_anon_WITH_AES_256_CBC_SHA"},
}

// hashSuffixes tell the hash of a suite from the end of its name; without one
// it is SHA-256 (RFC 6655, section 3).
var hashSuffixes = []struct {
	suffix string
	hash   crypto.Hash
}{
	{"_SHA256", crypto.SHA256},
	{"_SHA384", crypto.SHA384},
	{"_SHA", crypto.SHA1},
}

// suites are the suites that can be opened, by number.
var suites = readSuites()

func readSuites() map[uint16]*suite {
	m := make(map[uint16]*suite, len(suiteNames))
	for _, n := range suiteNames {
		m[n.id] = readSuite(n.id, n.name)
	}
	return m
}

// readSuite takes a name apart: TLS_KEYEXCHANGE_WITH_CIPHER_HASH, in TLS 1.3
// TLS_CIPHER_HASH.
func readSuite(id uint16, name string) *suite {
	s := &suite{id: id, name: name, hash: crypto.SHA256}
	exchange, kind, ok := strings.Cut(name, "_WITH_")
	if !ok {
		kind = strings.TrimPrefix(name, "TLS_")
	}
	s.rsaKey = exchange == "TLS_RSA"
	for _, h := range hashSuffixes {
		if rest, ok := strings.CutSuffix(kind, h.suffix); ok {
			kind, s.hash, s.mac = rest, h.hash, h.hash
			break
		}
	}
	if s.hash == crypto.SHA1 {
		s.hash = crypto.SHA256 // SHA names only the MAC (RFC 5246, section 5)
	}
	s.cipher = cipherKinds[kind]
	return s
}

// suiteName is the registered name of a suite, or its number.
func suiteName(id uint16) string {
	if s := suites[id]; s != nil {
		return s.name
	}
	return hex16(id)
}
