package decrypt

import (
	"crypto/x509"

	"golang.org/x/crypto/cryptobyte"
)

// readCertificate reads the first certificate of a Certificate message (RFC
// 5246, section 7.4.2; RFC 8446, section 4.4.2). nil: the message has none, as
// a client answers that has no certificate.
func readCertificate(body []byte, version uint16) *Certificate {
	s := cryptobyte.String(body)
	var context, list, der cryptobyte.String
	if version == versionTLS13 && !s.ReadUint8LengthPrefixed(&context) {
		return &Certificate{Fault: "malformed message"}
	}
	if !s.ReadUint24LengthPrefixed(&list) {
		return &Certificate{Fault: "malformed message"}
	}
	if list.Empty() {
		return nil
	}
	if !list.ReadUint24LengthPrefixed(&der) {
		return &Certificate{Fault: "malformed message"}
	}
	return parseCertificate(der)
}

func parseCertificate(der []byte) *Certificate {
	x, err := x509.ParseCertificate(der)
	if err != nil {
		return &Certificate{Fault: err.Error()}
	}
	c := &Certificate{Subject: x.Subject.String(), Issuer: x.Issuer.String(), NotAfter: x.NotAfter.UTC()}
	names := x.DNSNames
	for _, a := range x.IPAddresses {
		names = append(names, a.String())
	}
	c.Names = names[:min(len(names), mostNames)]
	return c
}
