package endtoend

import (
	"crypto/rsa"
	"crypto/sha1"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
)

// forms are the PEM blocks that hold a private key.
var forms = map[string]func(der []byte) (unwrapper, error){
	"RSA PRIVATE KEY":       parsePKCS1,
	"EC PRIVATE KEY":        func(der []byte) (unwrapper, error) { return parseSEC1(der, asn1.RawValue{}) },
	"PRIVATE KEY":           parsePKCS8,
	"ENCRYPTED PRIVATE KEY": func([]byte) (unwrapper, error) { return nil, errPassphrase },
}

type unwrapper = func(wrapped []byte) (dataKey []byte, err error)

var errPassphrase = errors.New("the private key is under a passphrase; give it without (openssl pkey -in FILE -out PLAIN)")

// parsePEM gives the private keys among the blocks, also those that cannot be
// used.
func parsePEM(b []byte) (found []privateKey) {
	for {
		var block *pem.Block
		if block, b = pem.Decode(b); block == nil {
			return found
		}
		parse := forms[block.Type]
		if parse == nil {
			continue
		}
		var p privateKey
		if block.Headers["DEK-Info"] != "" {
			p.fault = errPassphrase
		} else {
			p.unwrap, p.fault = parse(block.Bytes)
		}
		found = append(found, p)
	}
}

func parsePKCS1(der []byte) (unwrapper, error) {
	key, err := x509.ParsePKCS1PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("not an RSA key as PKCS#1 has it: %w", err)
	}
	return rsaUnwrapper(key), nil
}

// rsaUnwrapper is RSAES-OAEP (RFC 8017, section 7.1.2) with SHA-1 and MGF1 with
// SHA-1, which is what clients of all languages use.
func rsaUnwrapper(key *rsa.PrivateKey) unwrapper {
	return func(wrapped []byte) ([]byte, error) {
		b, err := rsa.DecryptOAEP(sha1.New(), nil, key, wrapped, nil)
		if errors.Is(err, rsa.ErrDecryption) {
			return nil, errNotForIt
		}
		return b, err
	}
}

// pkcs8 is PrivateKeyInfo (RFC 5958); what follows the key is of no use here.
type pkcs8 struct {
	Version   int
	Algorithm struct {
		OID        asn1.ObjectIdentifier
		Parameters asn1.RawValue `asn1:"optional"`
	}
	Key        []byte
	Attributes asn1.RawValue `asn1:"optional,tag:0"`
	PublicKey  asn1.RawValue `asn1:"optional,tag:1"`
}

var (
	oidRSA = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 1}
	oidEC  = asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}
)

func parsePKCS8(der []byte) (unwrapper, error) {
	var info pkcs8
	if _, err := asn1.Unmarshal(der, &info); err != nil {
		return nil, fmt.Errorf("not a key as PKCS#8 has it: %w", err)
	}
	switch id := info.Algorithm.OID; {
	case id.Equal(oidRSA):
		return parsePKCS1(info.Key)
	case id.Equal(oidEC):
		return parseSEC1(info.Key, info.Algorithm.Parameters)
	default:
		return nil, fmt.Errorf("a key of algorithm %s; clients use RSA (%s) or EC (%s)", id, oidRSA, oidEC)
	}
}

// sec1 is ECPrivateKey (RFC 5915; SEC 1, appendix C.4).
type sec1 struct {
	Version    int
	Key        []byte         // big-endian
	Parameters asn1.RawValue  `asn1:"optional,explicit,tag:0"`
	Public     asn1.BitString `asn1:"optional,explicit,tag:1"`
}

// parseSEC1 reads an EC key. The curve is named by its parameters, or by those
// of the PKCS#8 around it.
func parseSEC1(der []byte, around asn1.RawValue) (unwrapper, error) {
	var key sec1
	if _, err := asn1.Unmarshal(der, &key); err != nil {
		return nil, fmt.Errorf("not an EC key as SEC 1 has it: %w", err)
	}
	parameters := around.FullBytes
	if len(parameters) == 0 {
		parameters = key.Parameters.Bytes
	}
	c, err := curveOf(parameters)
	if err != nil {
		return nil, err
	}
	private, err := c.ecdh.NewPrivateKey(c.scalar(key.Key))
	if err != nil {
		return nil, fmt.Errorf("not a private key of curve %s: %w", c.name, err)
	}
	return func(wrapped []byte) ([]byte, error) { return c.unwrap(private, wrapped) }, nil
}

// scalar gives a private key the length of the curve: some writers leave
// leading zeros away, others put one more.
func (c *curve) scalar(b []byte) []byte {
	n := new(big.Int).SetBytes(b)
	if n.BitLen() > 8*c.size() {
		return b
	}
	return n.FillBytes(make([]byte, c.size()))
}
