package decrypt

import (
	"crypto"
	"crypto/hmac"
	"crypto/subtle"
)

// Versions of the protocol as they stand on the wire.
const (
	versionTLS10 uint16 = 0x0301
	versionTLS11 uint16 = 0x0302
	versionTLS12 uint16 = 0x0303
	versionTLS13 uint16 = 0x0304
)

const masterSecretSize = 48 // bytes, of the premaster secret of RSA key exchange as well

// prf fills out with the pseudorandom function of TLS 1.2 under a hash (RFC
// 5246, section 5) or, for earlier versions, of MD5 and SHA-1 (RFC 2246,
// section 5).
func prf(version uint16, h crypto.Hash, out, secret []byte, label string, seed ...[]byte) {
	s := []byte(label)
	for _, b := range seed {
		s = append(s, b...)
	}
	if version >= versionTLS12 {
		pHash(h, out, secret, s)
		return
	}
	half := (len(secret) + 1) / 2
	other := make([]byte, len(out))
	pHash(crypto.MD5, out, secret[:half], s)
	pHash(crypto.SHA1, other, secret[len(secret)-half:], s)
	subtle.XORBytes(out, out, other)
}

func pHash(h crypto.Hash, out, secret, seed []byte) {
	mac := hmac.New(h.New, secret)
	sum := func(parts ...[]byte) []byte {
		mac.Reset()
		for _, p := range parts {
			mac.Write(p)
		}
		return mac.Sum(nil)
	}
	for a := sum(seed); len(out) > 0; a = sum(a) {
		out = out[copy(out, sum(a, seed)):]
	}
}

// deriveMaster derives the master secret from the premaster secret. transcript is
// that of the handshake up to the client's key exchange where the session has
// an extended master secret (RFC 7627), else nil.
func (n *negotiation) deriveMaster(premaster, transcript []byte) []byte {
	out := make([]byte, masterSecretSize)
	if transcript == nil {
		prf(n.version, n.suite.hash, out, premaster, "master secret", n.clientRandom[:], n.serverRandom[:])
		return out
	}
	prf(n.version, n.suite.hash, out, premaster, "extended master secret", n.digest(transcript))
	return out
}

// digest hashes handshake messages as the version has it.
func (n *negotiation) digest(b []byte) []byte {
	hashes := []crypto.Hash{n.suite.hash}
	if n.version < versionTLS12 {
		hashes = []crypto.Hash{crypto.MD5, crypto.SHA1}
	}
	var sum []byte
	for _, h := range hashes {
		d := h.New()
		d.Write(b)
		sum = d.Sum(sum)
	}
	return sum
}

// openers12 cuts the key block of a master secret (RFC 5246, section 6.3) into
// the keys of the records, by role.
func (n *negotiation) openers12(master []byte) (pair [2]opener, err error) {
	s, k := n.suite, n.suite.cipher
	macSize := 0
	if k.block != nil {
		macSize = s.mac.Size()
	}
	block := make([]byte, 2*(macSize+k.keySize+k.ivSize))
	prf(n.version, s.hash, block, master, "key expansion", n.serverRandom[:], n.clientRandom[:])
	cut := func(size int) (a, b []byte) {
		a, b, block = block[:size], block[size:2*size], block[2*size:]
		return a, b
	}
	clientMAC, serverMAC := cut(macSize)
	clientKey, serverKey := cut(k.keySize)
	clientIV, serverIV := cut(k.ivSize)
	if pair[client], err = n.opener12(clientKey, clientMAC, clientIV); err == nil {
		pair[server], err = n.opener12(serverKey, serverMAC, serverIV)
	}
	return pair, err
}

func (n *negotiation) opener12(key, mac, iv []byte) (opener, error) {
	if n.suite.cipher.block != nil {
		return newCBC(n.suite, n.version, n.macOutside, key, mac, iv)
	}
	return newAEAD12(n.suite.cipher, key, iv)
}
