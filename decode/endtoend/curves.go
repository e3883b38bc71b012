package endtoend

import (
	"crypto/ecdh"
	"crypto/elliptic"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
)

// curve is an elliptic curve over a prime field.
type curve struct {
	name    string
	oid     string
	ecdh    ecdh.Curve
	formula elliptic.Curve // to expand compressed points
}

// curves are those that the standard library has for key agreement.
var curves = []curve{
	{"P-256", "1.2.840.10045.3.1.7", ecdh.P256(), elliptic.P256()},
	{"P-384", "1.3.132.0.34", ecdh.P384(), elliptic.P384()},
	{"P-521", "1.3.132.0.35", ecdh.P521(), elliptic.P521()},
}

// unsupported are names for the curves that people may bring.
var unsupported = map[string]string{
	"1.2.840.10045.3.1.1":   "P-192",
	"1.3.132.0.33":          "P-224",
	"1.3.132.0.10":          "secp256k1",
	"1.3.36.3.3.2.8.1.1.7":  "brainpoolP256r1",
	"1.3.36.3.3.2.8.1.1.11": "brainpoolP384r1",
	"1.3.36.3.3.2.8.1.1.13": "brainpoolP512r1",
	"1.2.156.10197.1.301":   "SM2",
}

// size is the length of a coordinate and of a private key, in bytes.
func (c *curve) size() int { return (c.formula.Params().BitSize + 7) / 8 }

// explicit is SpecifiedECDomain (SEC 1, appendix C.2): the curve spelt out, as
// openssl writes it with -param_enc explicit.
type explicit struct {
	Version int
	Field   struct {
		Type  asn1.ObjectIdentifier
		Prime asn1.RawValue
	}
	Curve    asn1.RawValue
	Base     []byte
	Order    *big.Int
	Cofactor *big.Int `asn1:"optional"`
}

// curveOf finds the curve of ECParameters: a name, or spelt out.
func curveOf(parameters []byte) (*curve, error) {
	if len(parameters) == 0 {
		return nil, errors.New("the EC key names no curve")
	}
	var oid asn1.ObjectIdentifier
	if _, err := asn1.Unmarshal(parameters, &oid); err == nil {
		return named(oid.String())
	}
	var spelt explicit
	if _, err := asn1.Unmarshal(parameters, &spelt); err != nil {
		return nil, fmt.Errorf("the curve of the EC key is neither a name nor spelt out: %w", err)
	}
	prime := new(big.Int).SetBytes(spelt.Field.Prime.Bytes)
	for i := range curves {
		if p := curves[i].formula.Params(); p.N.Cmp(spelt.Order) == 0 && p.P.Cmp(prime) == 0 {
			return &curves[i], nil
		}
	}
	return nil, fmt.Errorf("a curve of %d bits that is spelt out and none of P-256, P-384, P-521", spelt.Order.BitLen())
}

func named(oid string) (*curve, error) {
	for i := range curves {
		if curves[i].oid == oid {
			return &curves[i], nil
		}
	}
	name := unsupported[oid]
	if name == "" {
		name = oid
	}
	return nil, fmt.Errorf("curve %s is not supported; P-256, P-384 and P-521 are", name)
}

// point gives the public key of an encoded point (SEC 1, section 2.3.4):
// uncompressed 04, compressed 02 and 03, and hybrid 06 and 07, which Bouncy
// Castle reads too.
func (c *curve) point(b []byte) (*ecdh.PublicKey, error) {
	switch b[0] {
	case 2, 3:
		x, y := elliptic.UnmarshalCompressed(c.formula, b)
		if x == nil {
			return nil, errNotForIt
		}
		n := c.size()
		whole := make([]byte, 1+2*n)
		whole[0] = uncompressed
		x.FillBytes(whole[1 : 1+n])
		y.FillBytes(whole[1+n:])
		return c.ecdh.NewPublicKey(whole)
	case 6, 7:
		whole := append([]byte{uncompressed}, b[1:]...)
		if whole[len(whole)-1]&1 != b[0]&1 {
			return nil, errNotForIt
		}
		return c.ecdh.NewPublicKey(whole)
	}
	return c.ecdh.NewPublicKey(b)
}

const uncompressed = 4

// pointSize is the length in bytes of an encoded point that begins with form,
// 0 for none.
func (c *curve) pointSize(form byte) int {
	switch form {
	case 2, 3:
		return 1 + c.size()
	case uncompressed, 6, 7:
		return 1 + 2*c.size()
	}
	return 0
}
