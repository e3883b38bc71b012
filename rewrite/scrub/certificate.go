package scrub

import (
	"crypto/ed25519"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"net"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/crypto/cryptobyte"
)

// certificates replaces the certificates in the message with them (RFC 5246,
// section 7.4.2; TLS 1.3 encrypts it) by others of the same size, valid as long,
// for other names. What cannot be made so is overwritten.
func (s *Streams) certificates(body []byte) {
	r := cryptobyte.String(body)
	var list, der cryptobyte.String
	if !r.ReadUint24LengthPrefixed(&list) {
		mask(body)
		return
	}
	for !list.Empty() {
		if rest := list; !list.ReadUint24LengthPrefixed(&der) {
			mask(rest)
			return
		}
		if made := s.certificate(string(der)); copy(der, made) == 0 {
			mask(der)
		}
	}
	mask(r)
}

// madeCertificates is how many certificates are kept, which servers send again and
// again.
const madeCertificates = 1000

// certificate gives another one of the same size, nil where none can be made.
func (s *Streams) certificate(der string) []byte {
	if made, ok := s.made[der]; ok {
		return made
	}
	if len(s.made) >= madeCertificates {
		clear(s.made)
	}
	x, err := x509.ParseCertificate([]byte(der))
	if err != nil {
		return nil
	}
	s.made[der] = s.certificateLike(x, len(der))
	return s.made[der]
}

// validity is how exact the times of a certificate stay: by those to the second it
// could be found in public logs.
const validity = time.Hour

func (s *Streams) certificateLike(x *x509.Certificate, size int) []byte {
	like := &x509.Certificate{NotBefore: x.NotBefore.Truncate(validity), NotAfter: x.NotAfter.Truncate(validity), Subject: s.distinguished(x.Subject)}
	issuer := &x509.Certificate{Subject: s.distinguished(x.Issuer)}
	for _, name := range x.DNSNames {
		like.DNSNames = append(like.DNSNames, s.host(name))
	}
	for _, ip := range x.IPAddresses {
		if a, ok := netip.AddrFromSlice(ip); ok {
			like.IPAddresses = append(like.IPAddresses, net.IP(s.names.address(a).AsSlice()))
		}
	}
	return sizedCertificate(like, issuer, size)
}

// host replaces the name of a host, also where it stands within other texts. Words
// without a dot may be anything there.
func (s *Streams) host(name string) string {
	if strings.Contains(name, ".") {
		s.names.remember(name)
	}
	return s.names.text(name)
}

// distinguished replaces the values of a name.
func (s *Streams) distinguished(n pkix.Name) (to pkix.Name) {
	for _, a := range n.Names {
		value, ok := a.Value.(string)
		if !ok {
			continue
		}
		to.ExtraNames = append(to.ExtraNames, pkix.AttributeTypeAndValue{Type: a.Type, Value: s.host(value)})
	}
	return to
}

// padding is the object identifier of the extension that gives a certificate its
// size: one that stands for a UUID, which nobody else has (X.667).
var padding = asn1.ObjectIdentifier{2, 25, 0}

// mostSerial is the largest serial number, in bytes (RFC 5280, section 4.1.2.2).
const mostSerial = 20

// sizedCertificate makes a certificate of an exact size in bytes, nil where none
// can be. Its key is known to everybody, and signs it.
func sizedCertificate(like, issuer *x509.Certificate, size int) []byte {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	for serial := 1; serial <= mostSerial; serial++ {
		like.SerialNumber = new(big.Int).Lsh(big.NewInt(1), uint(8*(serial-1)))
		for pad := 0; ; {
			like.ExtraExtensions = []pkix.Extension{{Id: padding, Value: make([]byte, pad)}}
			made, err := x509.CreateCertificate(nil, like, issuer, key.Public(), key)
			if err != nil {
				return nil
			}
			if len(made) == size {
				return made
			}
			if len(made) > size {
				break
			}
			pad += max(1, (size-len(made))*7/8)
		}
	}
	return nil
}
