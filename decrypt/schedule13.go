package decrypt

import (
	"crypto/hkdf"

	"golang.org/x/crypto/cryptobyte"
)

// expandLabel is HKDF-Expand-Label with an empty context (RFC 8446, section
// 7.1). nil: the secret cannot be one of this hash.
func (s *suite) expandLabel(secret []byte, label string, size int) []byte {
	var b cryptobyte.Builder
	b.AddUint16(uint16(size))
	b.AddUint8LengthPrefixed(func(b *cryptobyte.Builder) { b.AddBytes([]byte("tls13 " + label)) })
	b.AddUint8(0)
	out, err := hkdf.Expand(s.hash.New, secret, string(b.BytesOrPanic()), size)
	if err != nil {
		return nil
	}
	return out
}

// opener13 makes the opener of a traffic secret (RFC 8446, section 7.3). nil:
// the secret is not one of this suite.
func (s *suite) opener13(secret []byte) opener {
	if len(secret) != s.hash.Size() {
		return nil
	}
	key, iv := s.expandLabel(secret, "key", s.cipher.keySize), s.expandLabel(secret, "iv", nonceSize)
	o, err := newAEAD13(s.cipher, key, iv)
	if err != nil {
		return nil
	}
	return o
}

// nextSecret is the traffic secret after a key update (RFC 8446, section 7.2).
func (s *suite) nextSecret(secret []byte) []byte {
	return s.expandLabel(secret, "traffic upd", s.hash.Size())
}
