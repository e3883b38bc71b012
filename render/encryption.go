package render

import (
	"strings"
	"time"

	"pulsar-dissect/decrypt"
	"pulsar-dissect/session"
)

// encrypted says in words what encrypts a connection and what came of opening
// it, empty where nothing does. All of it is our own text.
func encrypted(c *session.Conn) string {
	f := decrypt.FactsOf(c.TCP)
	if f == nil {
		return ""
	}
	words := "over " + tlsName(f)
	for _, a := range f.Alerts {
		if a.Fatal {
			words += ", fatal alert " + a.Description + " of the " + sideName(c, int8(a.From))
		}
	}
	for _, x := range []struct {
		of string
		*decrypt.Certificate
	}{{"server", f.Certificate}, {"client", f.ClientCertificate}} {
		if x.Certificate != nil && x.Fault == "" && c.TCP.First.Time > x.NotAfter.UnixNano() {
			words += ", certificate of the " + x.of + " expired on " + x.NotAfter.Format(time.DateOnly)
		}
	}
	switch {
	case f.Why != "" && f.Keys:
		words += ", not all opened: " + f.Why
	case f.Why != "":
		words += ", not opened: " + f.Why
	}
	return words
}

func tlsName(f *decrypt.Facts) string {
	if f.Version == 0 {
		return "TLS"
	}
	return decrypt.VersionName(f.Version) + " with " + f.Cipher
}

// tlsVersion is the version that was agreed on, for a column of its own.
func tlsVersion(f *decrypt.Facts) string {
	if f.Version == 0 {
		return "yes"
	}
	return strings.TrimPrefix(decrypt.VersionName(f.Version), "TLS ")
}
