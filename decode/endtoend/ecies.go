package endtoend

import (
	"crypto/ecdh"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
)

// errNotForIt says that a data key was wrapped for another private key, or is
// damaged: neither way to wrap can tell the two apart.
var errNotForIt = errors.New("the data key is not wrapped for it")

const macKey = 16 // bytes

// unwrap is ECIES (IEEE 1363a, DHAES mode) as Bouncy Castle has it by default:
// [ephemeral point][data key XOR stream][HMAC-SHA1]. KDF2 with SHA-1 over the
// encoded point and the shared x gives 16 bytes for the MAC, then the stream.
// The MAC covers the ciphertext, no encoding parameters, and their length in
// bits as 8 bytes.
func (c *curve) unwrap(private *ecdh.PrivateKey, wrapped []byte) ([]byte, error) {
	if len(wrapped) == 0 {
		return nil, errNotForIt
	}
	n := c.pointSize(wrapped[0])
	if n == 0 || len(wrapped) <= n+sha1.Size {
		return nil, fmt.Errorf("%d bytes are no data key wrapped for curve %s", len(wrapped), c.name)
	}
	encoded, sealed, tag := wrapped[:n], wrapped[n:len(wrapped)-sha1.Size], wrapped[len(wrapped)-sha1.Size:]
	ephemeral, err := c.point(encoded)
	if err != nil {
		return nil, errNotForIt
	}
	x, err := private.ECDH(ephemeral)
	if err != nil {
		return nil, errNotForIt
	}
	derived := kdf2(encoded, x, macKey+len(sealed))
	mac := hmac.New(sha1.New, derived[:macKey])
	mac.Write(sealed)
	mac.Write(make([]byte, 8))
	if !hmac.Equal(mac.Sum(nil), tag) {
		return nil, errNotForIt
	}
	subtle.XORBytes(derived[macKey:], derived[macKey:], sealed)
	return derived[macKey:], nil
}

// kdf2 is KDF2 of IEEE 1363a with SHA-1: the hashes of point, x and a counter
// from 1, 4 bytes big-endian, one behind the other.
func kdf2(point, x []byte, n int) (out []byte) {
	for i := uint32(1); len(out) < n; i++ {
		h := sha1.New()
		h.Write(point)
		h.Write(x)
		h.Write(binary.BigEndian.AppendUint32(nil, i))
		out = h.Sum(out)
	}
	return out[:n]
}
