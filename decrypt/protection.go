package decrypt

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"encoding/binary"

	"golang.org/x/crypto/chacha20poly1305"
)

// opener opens the records of one direction under one set of keys. It is not
// safe for concurrent use.
type opener interface {
	// open decrypts a whole record, header included, that is the seq-th under
	// these keys. The plain text is written over dst, which must not overlap
	// the record. False: the record does not prove these keys.
	open(dst []byte, seq uint64, record []byte) (plain []byte, contentType byte, ok bool)
	// plainSize is how many bytes of application data a record of n bytes,
	// header included, holds, at most.
	plainSize(n int) int
}

// cipherKind is a way to protect records.
type cipherKind struct {
	keySize  int // bytes
	ivSize   int // bytes of the implicit nonce; of a CBC cipher, its block
	explicit int // bytes of the nonce that each record carries, in TLS 1.2
	aead     func(key []byte) (cipher.AEAD, error)
	block    func(key []byte) (cipher.Block, error) // CBC
}

// cipherKinds are the ciphers by their name in suiteNames.
var cipherKinds = map[string]*cipherKind{
	"AES_128_GCM":       {keySize: 16, ivSize: 4, explicit: 8, aead: newGCM},
	"AES_256_GCM":       {keySize: 32, ivSize: 4, explicit: 8, aead: newGCM},
	"AES_128_CCM":       {keySize: 16, ivSize: 4, explicit: 8, aead: newCCM16},
	"AES_256_CCM":       {keySize: 32, ivSize: 4, explicit: 8, aead: newCCM16},
	"AES_128_CCM_8":     {keySize: 16, ivSize: 4, explicit: 8, aead: newCCM8},
	"AES_256_CCM_8":     {keySize: 32, ivSize: 4, explicit: 8, aead: newCCM8},
	"CHACHA20_POLY1305": {keySize: 32, ivSize: 12, aead: chacha20poly1305.New},
	"AES_128_CBC":       {keySize: 16, ivSize: 16, block: aes.NewCipher},
	"AES_256_CBC":       {keySize: 32, ivSize: 16, block: aes.NewCipher},
	"3DES_EDE_CBC":      {keySize: 24, ivSize: 8, block: des.NewTripleDESCipher},
}

func newGCM(key []byte) (cipher.AEAD, error) {
	b, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(b)
}

func newCCM16(key []byte) (cipher.AEAD, error) { return newCCM(key, 16) }
func newCCM8(key []byte) (cipher.AEAD, error)  { return newCCM(key, 8) }

// nonceSize is the nonce of all AEADs of TLS, in bytes.
const nonceSize = 12

// aead12 opens records of TLS 1.2 under an AEAD (RFC 5246, section 6.2.3.3;
// nonces: RFC 5288, 6655, 7905).
type aead12 struct {
	aead     cipher.AEAD
	explicit int
	iv       [nonceSize]byte
	nonce    [nonceSize]byte
	header   [8 + recordHeader]byte // sequence number and record header
}

func newAEAD12(k *cipherKind, key, iv []byte) (*aead12, error) {
	a, err := k.aead(key)
	if err != nil {
		return nil, err
	}
	o := &aead12{aead: a, explicit: k.explicit}
	copy(o.iv[:], iv)
	return o, nil
}

func (o *aead12) plainSize(n int) int {
	return max(0, n-recordHeader-o.explicit-o.aead.Overhead())
}

func (o *aead12) open(dst []byte, seq uint64, record []byte) ([]byte, byte, bool) {
	size := len(record) - recordHeader - o.explicit - o.aead.Overhead()
	if size < 0 {
		return nil, 0, false
	}
	o.nonce = o.iv
	if o.explicit > 0 {
		copy(o.nonce[nonceSize-o.explicit:], record[recordHeader:])
	} else {
		xorSequence(&o.nonce, seq)
	}
	binary.BigEndian.PutUint64(o.header[:], seq)
	copy(o.header[8:], record[:3])
	binary.BigEndian.PutUint16(o.header[8+3:], uint16(size))
	plain, err := o.aead.Open(dst[:0], o.nonce[:], record[recordHeader+o.explicit:], o.header[:])
	return plain, record[0], err == nil
}

func xorSequence(nonce *[nonceSize]byte, seq uint64) {
	tail := nonce[nonceSize-8:]
	binary.BigEndian.PutUint64(tail, binary.BigEndian.Uint64(tail)^seq)
}

// aead13 opens records of TLS 1.3 (RFC 8446, section 5.2).
type aead13 struct {
	aead  cipher.AEAD
	iv    [nonceSize]byte
	nonce [nonceSize]byte
}

func newAEAD13(k *cipherKind, key, iv []byte) (*aead13, error) {
	a, err := k.aead(key)
	if err != nil {
		return nil, err
	}
	o := &aead13{aead: a}
	copy(o.iv[:], iv)
	return o, nil
}

func (o *aead13) plainSize(n int) int { return max(0, n-recordHeader-o.aead.Overhead()-1) }

func (o *aead13) open(dst []byte, seq uint64, record []byte) ([]byte, byte, bool) {
	o.nonce = o.iv
	xorSequence(&o.nonce, seq)
	plain, err := o.aead.Open(dst[:0], o.nonce[:], record[recordHeader:], record[:recordHeader])
	if err != nil {
		return nil, 0, false
	}
	n := len(plain)
	for n > 0 && plain[n-1] == 0 { // padding behind the content type
		n--
	}
	if n == 0 {
		return nil, 0, true
	}
	return plain[:n-1], plain[n-1], true
}
