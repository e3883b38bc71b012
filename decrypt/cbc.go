package decrypt

import (
	"crypto/cipher"
	"crypto/hmac"
	"encoding/binary"
	"hash"
)

// cbc opens records under a block cipher with a MAC (RFC 5246, section
// 6.2.3.2), the MAC inside or, with encrypt-then-MAC (RFC 7366), around the
// ciphertext.
type cbc struct {
	mode        cbcMode
	mac         hash.Hash
	blockSize   int
	explicitIV  bool // TLS 1.1 and later: each record carries its own
	macOutside  bool // encrypt-then-MAC
	chain       []byte
	nextSeq     uint64 // whose IV chain is, without explicit IVs
	sum, header []byte
}

// cbcMode is what the standard library's CBC decrypters are.
type cbcMode interface {
	cipher.BlockMode
	SetIV(iv []byte)
}

func newCBC(s *suite, version uint16, macOutside bool, key, macKey, iv []byte) (*cbc, error) {
	b, err := s.cipher.block(key)
	if err != nil {
		return nil, err
	}
	return &cbc{
		mode:       cipher.NewCBCDecrypter(b, iv).(cbcMode),
		mac:        hmac.New(s.mac.New, macKey),
		blockSize:  b.BlockSize(),
		explicitIV: version > versionTLS10,
		macOutside: macOutside,
		chain:      append([]byte(nil), iv...),
		header:     make([]byte, 8+recordHeader),
	}, nil
}

func (o *cbc) plainSize(n int) int {
	n -= recordHeader + o.mac.Size() + 1
	if o.explicitIV {
		n -= o.blockSize
	}
	return max(0, n)
}

func (o *cbc) open(dst []byte, seq uint64, record []byte) ([]byte, byte, bool) {
	body, tag := record[recordHeader:], []byte(nil)
	if o.macOutside {
		n := len(body) - o.mac.Size()
		if n < 0 {
			return nil, 0, false
		}
		body, tag = body[:n], body[n:]
		if !o.proves(seq, record, body, tag) {
			return nil, 0, false
		}
	}
	plain, ok := o.decrypt(dst, seq, body)
	if !ok {
		return nil, 0, false
	}
	if !o.macOutside {
		n := len(plain) - o.mac.Size()
		if n < 0 || !o.proves(seq, record, plain[:n], plain[n:]) {
			return nil, 0, false
		}
		plain = plain[:n]
	}
	if !o.explicitIV {
		copy(o.chain, body[len(body)-o.blockSize:])
		o.nextSeq = seq + 1
	}
	return plain, record[0], true
}

// decrypt gives the plain text without its padding, which is as many bytes as
// the last one says, and that one.
func (o *cbc) decrypt(dst []byte, seq uint64, body []byte) ([]byte, bool) {
	iv := o.chain
	if o.explicitIV {
		if len(body) < o.blockSize {
			return nil, false
		}
		iv, body = body[:o.blockSize], body[o.blockSize:]
	} else if seq != o.nextSeq {
		return nil, false
	}
	if len(body) == 0 || len(body)%o.blockSize != 0 {
		return nil, false
	}
	o.mode.SetIV(iv)
	plain := dst[:len(body)]
	o.mode.CryptBlocks(plain, body)
	pad := int(plain[len(plain)-1]) + 1
	if pad > len(plain) {
		return nil, false
	}
	for _, b := range plain[len(plain)-pad:] {
		if int(b) != pad-1 {
			return nil, false
		}
	}
	return plain[:len(plain)-pad], true
}

// proves checks the MAC over the sequence number, the header with the length
// of the content, and the content.
func (o *cbc) proves(seq uint64, record, content, tag []byte) bool {
	binary.BigEndian.PutUint64(o.header, seq)
	copy(o.header[8:], record[:3])
	binary.BigEndian.PutUint16(o.header[8+3:], uint16(len(content)))
	o.mac.Reset()
	o.mac.Write(o.header)
	o.mac.Write(content)
	o.sum = o.mac.Sum(o.sum[:0])
	return hmac.Equal(o.sum, tag)
}
