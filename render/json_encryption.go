package render

import (
	"time"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire/jsontext"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/session"
)

// encryption appends what is known of a connection's encryption.
func encryption(dst []byte, c *session.Conn) []byte {
	dst = append(dst, `,"encryption":{"type":"`...)
	f := decrypt.FactsOf(c.TCP)
	switch {
	case f != nil:
		dst = tlsFacts(append(dst, `tls"`...), c, f)
	case c.Protocol == decode.TLS:
		dst = append(dst, `tls"`...)
	default:
		dst = append(dst, `none"`...)
	}
	return append(dst, '}')
}

func tlsFacts(dst []byte, c *session.Conn, f *decrypt.Facts) []byte {
	dst = present(dst, `,"version":`, decrypt.VersionName(f.Version))
	dst = present(dst, `,"offered_version":`, decrypt.VersionName(f.Offered))
	dst = present(dst, `,"cipher":`, f.Cipher)
	dst = present(dst, `,"server_name":`, f.ServerName)
	dst = present(dst, `,"alpn":`, f.ALPN)
	dst = listOfTexts(dst, `,"offered_alpn":`, f.WantedALPN)
	dst = certificate(dst, `,"certificate":`, f.Certificate)
	dst = certificate(dst, `,"client_certificate":`, f.ClientCertificate)
	dst = present(dst, `,"resumed":`, f.Resumed.String())
	for _, flag := range []struct {
		name string
		set  bool
	}{{"extended_master_secret", f.ExtendedMaster}, {"encrypt_then_mac", f.EncryptThenMAC}, {"early_data", f.EarlyData}} {
		if flag.set {
			dst = append(append(append(dst, `,"`...), flag.name...), `":true`...)
		}
	}
	if f.KeyUpdates > 0 {
		dst = number(dst, `,"key_updates":`, int64(f.KeyUpdates))
	}
	dst = alerts(dst, c, f.Alerts)
	dst = truth(dst, `,"keys":`, f.Keys)
	return present(dst, `,"why":`, f.Why)
}

func certificate(dst []byte, name string, x *decrypt.Certificate) []byte {
	if x == nil {
		return dst
	}
	dst = append(dst, name...)
	if x.Fault != "" {
		return append(text(dst, `{"fault":`, x.Fault), '}')
	}
	dst = text(dst, `{"subject":`, x.Subject)
	dst = text(dst, `,"issuer":`, x.Issuer)
	dst = listOfTexts(dst, `,"names":`, x.Names)
	return append(text(dst, `,"not_after":`, x.NotAfter.Format(time.RFC3339)), '}')
}

func alerts(dst []byte, c *session.Conn, list []decrypt.Alert) []byte {
	if len(list) == 0 {
		return dst
	}
	sep := `,"alerts":[{`
	for _, a := range list {
		dst = append(append(dst, sep...), `"dir":"`...)
		dst = append(append(dst, c.DirectionOf(a.From).String()...), '"')
		dst = text(dst, `,"level":`, alertLevel(a))
		dst = text(dst, `,"description":`, a.Description)
		dst = number(dst, `,"packet":`, int64(a.At.Packet))
		sep = `},{`
	}
	return append(dst, "}]"...)
}

func alertLevel(a decrypt.Alert) string {
	if a.Fatal {
		return "fatal"
	}
	return "warning"
}

// listOfTexts appends a list of texts unless it is empty.
func listOfTexts(dst []byte, name string, list []string) []byte {
	if len(list) == 0 {
		return dst
	}
	sep := byte('[')
	dst = append(dst, name...)
	for _, s := range list {
		dst = jsontext.AppendText(append(dst, sep), s)
		sep = ','
	}
	return append(dst, ']')
}
