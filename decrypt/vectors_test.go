package decrypt

import (
	"bytes"
	"crypto"
	"encoding/hex"
	"strings"
	"testing"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// RFC 8448, section 3: the traffic secrets of a handshake, and the keys and
// nonces that follow from them.
func TestTrafficKeys(t *testing.T) {
	for _, x := range []struct{ name, secret, key, iv string }{
		{"client handshake", "b3eddb126e067f35a780b3abf45e2d8f3b1a950738f52e9600746a0e27a55a21", "dbfaa693d1762c5b666af5d950258d01", "5bd3c71b836e0b76bb73265f"},
		{"server handshake", "b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38", "3fce516009c21727d0f2e4e86ee403bc", "5d313eb2671276ee13000b30"},
		{"client application", "9e40646ce79a7f9dc05af8889bce6552875afa0b06df0087f792ebb7c17504a5", "17422dda596ed5d9acd890e3c63f5051", "5b78923dee08579033e523d9"},
		{"server application", "a11af9f05531f856ad47116b45a950328204b4f44bfb6b3a4b4f1f3fcb631643", "9f02283b6c9c07efc26bb9f2ac92e356", "cf782b88dd83549aadf1e984"},
	} {
		s, secret := suites[0x1301], unhex(t, x.secret)
		if got := s.expandLabel(secret, "key", 16); !bytes.Equal(got, unhex(t, x.key)) {
			t.Errorf("%s: key is %x, expected %s", x.name, got, x.key)
		}
		if got := s.expandLabel(secret, "iv", nonceSize); !bytes.Equal(got, unhex(t, x.iv)) {
			t.Errorf("%s: nonce is %x, expected %s", x.name, got, x.iv)
		}
	}
}

// RFC 8448, section 3: the client's record of 50 bytes, 0 to 49.
func TestRecord13(t *testing.T) {
	record := unhex(t, `17 03 03 00 43 a2 3f 70 54 b6 2c 94 d0 af fa fe 82 28 ba 55 cb ef ac ea 42 f9 14 aa 66 bc ab 3f 2b 98 19 a8
		a5 b4 6b 39 5b d5 4a 9a 20 44 1e 2b 62 97 4e 1f 5a 62 92 a2 97 70 14 bd 1e 3d ea e6 3a ee bb 21 69 49 15 e4`)
	o := suites[0x1301].opener13(unhex(t, "9e40646ce79a7f9dc05af8889bce6552875afa0b06df0087f792ebb7c17504a5"))
	plain, contentType, ok := o.open(make([]byte, longestRecord), 0, record)
	if !ok || contentType != contentApplication || len(plain) != 50 || plain[0] != 0 || plain[49] != 49 {
		t.Fatalf("opened %x, type %d, %v", plain, contentType, ok)
	}
	if o.plainSize(len(record)) != 50 {
		t.Errorf("a record of %d bytes is said to hold %d", len(record), o.plainSize(len(record)))
	}
	if _, _, ok := o.open(make([]byte, longestRecord), 1, record); ok {
		t.Error("opens under another sequence number")
	}
}

// The vector of the IETF's TLS mailing list for P_SHA256 in wide use
// (mailarchive.ietf.org, "test vectors for TLS 1.2 PRF").
func TestPRF12(t *testing.T) {
	want := unhex(t, `e3f229ba727be17b8d122620557cd453c2aab21d07c3d495329b52d4e61edb5a6b301791e90d35c9c9a46b4e14baf9af0fa022f7077def17abfd3797c0564bab
		4fbc91666e9def9b97fce34f796789baa48082d122ee42c5a72e5a5110fff70187347b66`)
	got := make([]byte, len(want))
	prf(versionTLS12, crypto.SHA256, got, unhex(t, "9bbe436ba940f017b17652849a71db35"), "test label", unhex(t, "a0ba9f936cda311827a6f796ffd5198c"))
	if !bytes.Equal(got, want) {
		t.Errorf("PRF gives %x, expected %x", got, want)
	}
}

// NIST SP 800-38C, example 3, whose nonce has the size of TLS.
func TestCCM(t *testing.T) {
	key, nonce, aad := unhex(t, "404142434445464748494a4b4c4d4e4f"), unhex(t, "101112131415161718191a1b"), unhex(t, "000102030405060708090a0b0c0d0e0f10111213")
	plain := unhex(t, "202122232425262728292a2b2c2d2e2f3031323334353637")
	sealed := unhex(t, "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5484392fbc1b09951")
	a, err := newCCM(key, 8)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Seal(nil, nonce, plain, aad); !bytes.Equal(got, sealed) {
		t.Errorf("seals %x, expected %x", got, sealed)
	}
	if got, err := a.Open(nil, nonce, sealed, aad); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("opens %x, %v", got, err)
	}
	for i := range sealed {
		sealed[i] ^= 1
		if got, err := a.Open(nil, nonce, sealed, aad); err == nil || got != nil {
			t.Errorf("opens with byte %d changed", i)
		}
		sealed[i] ^= 1
	}
	if _, err := a.Open(nil, nonce, sealed[:7], aad); err == nil {
		t.Error("opens without a tag")
	}
}

// Every suite of the table has a cipher and hashes, each number once.
func TestSuites(t *testing.T) {
	if len(suites) != len(suiteNames) {
		t.Errorf("%d suites of %d names: a number stands twice", len(suites), len(suiteNames))
	}
	for _, s := range suites {
		if s.cipher == nil {
			t.Errorf("%s: no cipher", s.name)
			continue
		}
		if s.hash == 0 || s.cipher.block != nil && s.mac == 0 {
			t.Errorf("%s: no hash", s.name)
		}
	}
	for id, want := range map[uint16]suite{
		0x002F: {rsaKey: true, hash: crypto.SHA256, mac: crypto.SHA1},
		0xC028: {hash: crypto.SHA384, mac: crypto.SHA384},
		0xC0AE: {hash: crypto.SHA256},
		0x1302: {hash: crypto.SHA384, mac: crypto.SHA384},
	} {
		if got := suites[id]; got.rsaKey != want.rsaKey || got.hash != want.hash || got.mac != want.mac {
			t.Errorf("%s is read as %+v", got.name, got)
		}
	}
	if got := suiteName(0xC0FF); got != "0xC0FF" {
		t.Errorf("an unknown suite is called %q", got)
	}
}

func TestVersionNames(t *testing.T) {
	for v, want := range map[uint16]string{0: "", 0x0300: "SSL 3.0", 0x0301: "TLS 1.0", 0x0303: "TLS 1.2", 0x0304: "TLS 1.3", 0x7F1C: "0x7F1C"} {
		if got := VersionName(v); got != want {
			t.Errorf("%#x is %q, expected %q", v, got, want)
		}
	}
}
