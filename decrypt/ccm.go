package decrypt

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"errors"
)

// ccm is AES-CCM (RFC 3610, NIST SP 800-38C) with the nonce of TLS: 12 bytes,
// which leaves 3 for the length of a message.
type ccm struct {
	block                cipher.Block
	tagSize              int
	counter, stream, sum [aes.BlockSize]byte
}

const (
	ccmLengthSize = 15 - nonceSize
	ccmLongest    = 1<<(8*ccmLengthSize) - 1 // bytes of a message
	ccmLongestAAD = 0xFEFF                   // bytes of associated data whose length takes 2 bytes
)

var errCCM = errors.New("decrypt: CCM message does not authenticate")

// newCCM makes an AEAD whose tag has 4 to 16 bytes. It is not safe for
// concurrent use.
func newCCM(key []byte, tagSize int) (cipher.AEAD, error) {
	b, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return &ccm{block: b, tagSize: tagSize}, nil
}

func (c *ccm) NonceSize() int { return nonceSize }
func (c *ccm) Overhead() int  { return c.tagSize }

// Seal appends ciphertext and tag to dst, which must not overlap plain.
func (c *ccm) Seal(dst, nonce, plain, aad []byte) []byte {
	start := len(dst)
	dst = append(dst, plain...)
	c.authenticate(nonce, plain, aad)
	c.crypt(dst[start:], plain, nonce)
	return append(dst, c.tag(nonce)...)
}

// Open appends the plain text to dst, which must not overlap sealed.
func (c *ccm) Open(dst, nonce, sealed, aad []byte) ([]byte, error) {
	n := len(sealed) - c.tagSize
	if n < 0 || n > ccmLongest || len(aad) > ccmLongestAAD {
		return nil, errCCM
	}
	start := len(dst)
	dst = append(dst, sealed[:n]...)
	plain := dst[start:]
	c.crypt(plain, sealed[:n], nonce)
	c.authenticate(nonce, plain, aad)
	if subtle.ConstantTimeCompare(c.tag(nonce), sealed[n:]) != 1 {
		clear(plain)
		return nil, errCCM
	}
	return dst, nil
}

// crypt applies the key stream of the counters from 1 on.
func (c *ccm) crypt(dst, src, nonce []byte) {
	c.startCounter(nonce)
	for len(src) > 0 {
		c.count()
		c.block.Encrypt(c.stream[:], c.counter[:])
		n := subtle.XORBytes(dst, src, c.stream[:])
		dst, src = dst[n:], src[n:]
	}
}

func (c *ccm) startCounter(nonce []byte) {
	c.counter = [aes.BlockSize]byte{ccmLengthSize - 1}
	copy(c.counter[1:], nonce)
}

func (c *ccm) count() {
	for i := aes.BlockSize - 1; i >= aes.BlockSize-ccmLengthSize; i-- {
		if c.counter[i]++; c.counter[i] != 0 {
			return
		}
	}
}

// tag encrypts the sum with the counter 0.
func (c *ccm) tag(nonce []byte) []byte {
	c.startCounter(nonce)
	c.block.Encrypt(c.stream[:], c.counter[:])
	subtle.XORBytes(c.stream[:], c.stream[:], c.sum[:])
	return c.stream[:c.tagSize]
}

// authenticate computes the CBC-MAC over a block of flags, nonce and length,
// the associated data behind its length, and the message.
func (c *ccm) authenticate(nonce, plain, aad []byte) {
	c.sum = [aes.BlockSize]byte{byte((c.tagSize-2)/2<<3 | (ccmLengthSize - 1))}
	if len(aad) > 0 {
		c.sum[0] |= 1 << 6
	}
	copy(c.sum[1:], nonce)
	n := len(plain)
	c.sum[13], c.sum[14], c.sum[15] = byte(n>>16), byte(n>>8), byte(n)
	c.block.Encrypt(c.sum[:], c.sum[:])
	if len(aad) > 0 {
		var head [aes.BlockSize]byte
		binary.BigEndian.PutUint16(head[:], uint16(len(aad)))
		used := copy(head[2:], aad)
		c.absorb(head[:2+used])
		c.absorb(aad[used:])
	}
	c.absorb(plain)
}

func (c *ccm) absorb(b []byte) {
	for len(b) > 0 {
		n := subtle.XORBytes(c.sum[:], c.sum[:], b[:min(len(b), aes.BlockSize)])
		c.block.Encrypt(c.sum[:], c.sum[:])
		b = b[n:]
	}
}
