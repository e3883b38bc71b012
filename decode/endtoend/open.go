package endtoend

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
)

// Recipient is one of the encryption_keys of an entry: the name that the
// client gives the key, and the data key wrapped with it.
type Recipient struct{ Name, Value []byte }

// Open appends the payload behind sealed, whose last 16 bytes are the tag of
// AES-GCM, to dst, which must not overlap it; nonce is encryption_param. The
// error is an *Error, and dst is then returned as it was. Keys may be nil: none.
func (k *Keys) Open(dst []byte, recipients []Recipient, nonce, sealed []byte) ([]byte, error) {
	if k.Len() == 0 {
		return dst, newError(recipients, true)
	}
	var tried attempts
	for i := range recipients[:min(len(recipients), mostNames)] {
		o := k.dataKey(&recipients[i])
		if o.block == nil {
			tried.join(&o.tried)
			continue
		}
		plain, err := o.open(dst, nonce, sealed)
		if err == nil {
			return plain, nil
		}
		tried.add(o.file, err)
	}
	e := newError(recipients, false)
	e.Tried, e.MoreTried = tried.list, tried.more
	return dst, e
}

// outcome is what became of a wrapped data key.
type outcome struct {
	block cipher.Block // of the data key; nil where no private key unwraps it
	gcm   cipher.AEAD  // for nonces of the usual length
	file  string       // of the private key that unwrapped it
	tried attempts     // where none did
}

// dataKey unwraps a data key. The outcome is remembered, also where it is a
// failure: a producer uses one for hours, and RSA costs a millisecond.
func (k *Keys) dataKey(r *Recipient) *outcome {
	id := cacheKeyOf(r)
	if o := k.cache.get(id); o != nil {
		return o
	}
	o := k.unwrap(r)
	k.cache.put(id, o)
	return o
}

// unwrap tries the private keys, those named after the recipient first.
func (k *Keys) unwrap(r *Recipient) *outcome {
	o, name := &outcome{}, string(r.Name)
	for _, wantNamed := range [...]bool{true, false} {
		for i := range k.keys {
			if p := &k.keys[i]; p.named(name) == wantNamed && o.try(p, r.Value) {
				return o
			}
		}
	}
	return o
}

func (o *outcome) try(p *privateKey, wrapped []byte) bool {
	err := p.fault
	if err == nil {
		var key []byte
		if key, err = p.unwrap(wrapped); err == nil {
			err = o.use(key)
		}
	}
	if err != nil {
		o.tried.add(p.file, err)
		return false
	}
	o.file, o.tried = p.file, attempts{}
	return true
}

func (o *outcome) use(key []byte) error {
	block, err := aes.NewCipher(key)
	if err != nil {
		return fmt.Errorf("it unwraps %d bytes, an AES key has 16, 24 or 32", len(key))
	}
	o.block = block
	o.gcm, err = cipher.NewGCM(block)
	return err
}

var errTag = errors.New("it unwraps the data key, but the payload does not fit its tag")

func (o *outcome) open(dst, nonce, sealed []byte) ([]byte, error) {
	gcm := o.gcm
	if len(nonce) != gcm.NonceSize() {
		var err error
		if gcm, err = cipher.NewGCMWithNonceSize(o.block, len(nonce)); err != nil {
			return nil, fmt.Errorf("encryption_param has %d bytes, expected %d", len(nonce), o.gcm.NonceSize())
		}
	}
	plain, err := gcm.Open(dst, nonce, sealed, nil)
	if err != nil {
		return nil, errTag
	}
	return plain, nil
}
