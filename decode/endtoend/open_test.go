package endtoend

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// vector is a payload that another implementation encrypted; see
// testdata/ORIGIN.
type vector struct {
	Name, File, Plain      string
	Wrapped, Nonce, Sealed hexed
}

type hexed []byte

func (h *hexed) UnmarshalText(b []byte) (err error) {
	*h, err = hex.DecodeString(string(b))
	return err
}

func vectors(t testing.TB) (all []vector) {
	t.Helper()
	b, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func load(t testing.TB, paths ...string) *Keys {
	t.Helper()
	k, err := Load(paths)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (v *vector) recipients() []Recipient {
	return []Recipient{{Name: []byte("team"), Value: v.Wrapped}}
}

func TestOpensWhatOthersSealed(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			for name, path := range map[string]string{"file": "testdata/keys/" + v.File, "folder": "testdata/keys"} {
				k := load(t, path)
				for range 2 { // the second time from the cache
					got, err := k.Open([]byte("before "), v.recipients(), v.Nonce, v.Sealed)
					if err != nil || string(got) != "before "+v.Plain {
						t.Fatalf("%s: got %q, %v; expected %q", name, got, err, v.Plain)
					}
				}
			}
		})
	}
}

func TestSecondRecipient(t *testing.T) {
	all := vectors(t)
	mine, other := all[0], all[2]
	k := load(t, "testdata/keys/"+mine.File)
	r := append(other.recipients(), mine.recipients()...)
	got, err := k.Open(nil, r, mine.Nonce, mine.Sealed)
	if err != nil || string(got) != mine.Plain {
		t.Fatalf("got %q, %v", got, err)
	}
}

// Every damage is noticed: no byte of the wrapped key, the nonce or the payload
// can be another, and none can be missing.
func TestDamage(t *testing.T) {
	for _, v := range vectors(t) {
		k := load(t, "testdata/keys/"+v.File)
		open := func(wrapped, nonce, sealed []byte) error {
			dst := []byte("kept")
			got, err := k.Open(dst, []Recipient{{[]byte("team"), wrapped}}, nonce, sealed)
			if string(got) != "kept" && err != nil {
				t.Errorf("%s: dst became %q beside an error", v.Name, got)
			}
			return err
		}
		flipped := func(b []byte, i int) []byte {
			b = bytes.Clone(b)
			b[i] ^= 1
			return b
		}
		step := 1
		if strings.HasPrefix(v.Name, "RSA") {
			step = 16 // a private operation each
		}
		for i := 0; i < len(v.Wrapped); i += step {
			if open(flipped(v.Wrapped, i), v.Nonce, v.Sealed) == nil {
				t.Errorf("%s: byte %d of the wrapped key changed, and it opens", v.Name, i)
			}
			if open(v.Wrapped[:i], v.Nonce, v.Sealed) == nil {
				t.Errorf("%s: opens with %d bytes of the wrapped key", v.Name, i)
			}
		}
		for i := range v.Nonce {
			if open(v.Wrapped, flipped(v.Nonce, i), v.Sealed) == nil || open(v.Wrapped, v.Nonce[:i], v.Sealed) == nil {
				t.Errorf("%s: opens with the wrong nonce", v.Name)
			}
		}
		for i := range v.Sealed {
			if open(v.Wrapped, v.Nonce, flipped(v.Sealed, i)) == nil || open(v.Wrapped, v.Nonce, v.Sealed[:i]) == nil {
				t.Errorf("%s: opens a payload damaged at byte %d", v.Name, i)
			}
		}
	}
}

func TestErrorsSayWhatIsMissing(t *testing.T) {
	v := vectors(t)[0]
	wrong := load(t, "testdata/keys/p256-pkcs8.pem", "testdata/keys/p521-sec1.pem")
	right := load(t, "testdata/keys/rsa-pkcs1.pem")
	many := make([]Recipient, 20)
	for i := range many {
		many[i].Name = bytes.Repeat([]byte{'a' + byte(i)}, 1)
	}
	for _, c := range []struct {
		name   string
		keys   *Keys
		r      []Recipient
		sealed []byte
		want   string
	}{
		{"no keys", nil, v.recipients(), v.Sealed, "encrypted for team; no private key was given"},
		{"empty", &Keys{}, v.recipients(), v.Sealed, "encrypted for team; no private key was given"},
		{"wrong", wrong, v.recipients(), v.Sealed,
			"encrypted for team; tried p256-pkcs8.pem (256 bytes are no data key wrapped for curve P-256)," +
				" p521-sec1.pem (256 bytes are no data key wrapped for curve P-521)"},
		{"payload", right, v.recipients(), v.Sealed[1:],
			"encrypted for team; tried rsa-pkcs1.pem (it unwraps the data key, but the payload does not fit its tag)"},
		{"two recipients", load(t, "testdata/keys/rsa-1024-pkcs8.pem"),
			append(v.recipients(), Recipient{[]byte("ops"), v.Wrapped}), v.Sealed,
			"encrypted for team, ops; tried rsa-1024-pkcs8.pem (the data key is not wrapped for it)"},
		{"many", nil, many, nil, "encrypted for a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p and 4 more; no private key was given"},
		{"long name", nil, []Recipient{{Name: bytes.Repeat([]byte("é"), 40)}}, nil,
			"encrypted for " + strings.Repeat("é", 32) + "...; no private key was given"},
	} {
		_, err := c.keys.Open(nil, c.r, v.Nonce, c.sealed)
		if e := (*Error)(nil); !errors.As(err, &e) || err.Error() != c.want {
			t.Errorf("%s: got %v\nexpected %s", c.name, err, c.want)
		}
	}
}

// A data key of a size that AES does not have is not used.
func TestDataKeyOfAnotherSize(t *testing.T) {
	k := &Keys{keys: []privateKey{{file: "f", unwrap: func(b []byte) ([]byte, error) { return b, nil }}}}
	_, err := k.Open(nil, []Recipient{{[]byte("n"), []byte("five!")}}, make([]byte, 12), make([]byte, 40))
	want := "encrypted for n; tried f (it unwraps 5 bytes, an AES key has 16, 24 or 32)"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, expected %s", err, want)
	}
	_, err = k.Open(nil, []Recipient{{[]byte("n"), make([]byte, 16)}}, nil, make([]byte, 40))
	if want := "encrypted for n; tried f (encryption_param has 0 bytes, expected 12)"; err == nil || err.Error() != want {
		t.Errorf("got %v, expected %s", err, want)
	}
}

// The key named after the recipient comes first, and each wrapped key is
// unwrapped once.
func TestOrderAndCache(t *testing.T) {
	var calls []string
	k := &Keys{}
	for _, file := range []string{"a.pem", "opsy.pem", "ops-private.pem", "ops"} {
		k.keys = append(k.keys, privateKey{file: file, unwrap: func([]byte) ([]byte, error) {
			calls = append(calls, file)
			return nil, errNotForIt
		}})
	}
	for range 3 {
		if _, err := k.Open(nil, []Recipient{{[]byte("ops"), []byte("x")}}, nil, nil); err == nil {
			t.Fatal("opened")
		}
	}
	if got := strings.Join(calls, " "); got != "ops-private.pem ops a.pem opsy.pem" {
		t.Errorf("tried %s", got)
	}
}

func TestCacheIsBounded(t *testing.T) {
	var c cache
	id := func(i int) cacheKey {
		return cacheKeyOf(&Recipient{Value: []byte{byte(i), byte(i >> 8), byte(i >> 16)}})
	}
	for i := range 3*mostCached + 7 {
		c.put(id(i), &outcome{})
	}
	if len(c.byKey) != mostCached || len(c.order) != mostCached {
		t.Fatalf("holds %d and %d", len(c.byKey), len(c.order))
	}
	if c.get(id(2*mostCached+6)) != nil || c.get(id(2*mostCached+7)) == nil || c.get(id(3*mostCached+6)) == nil {
		t.Error("not the oldest were let go")
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"empty/readme.txt":        "no key here",
		"mixed/big.pem":           strings.Repeat("x", largestFile+1),
		"mixed/sub/rsa-pkcs1.pem": read(t, "testdata/keys/rsa-pkcs1.pem"),
		"mixed/p256.pem":          read(t, "testdata/keys/p256-pkcs8.pem"),
		"mixed/pub.pem":           read(t, "testdata/keys/rsa-public.pem"),
		"two.pem":                 read(t, "testdata/keys/p256-pkcs8.pem") + read(t, "testdata/keys/rsa-pkcs1.pem"),
		"cut.pem":                 "-----BEGIN EC PRIVATE KEY-----\nMHcCAQ==\n-----END EC PRIVATE KEY-----\n",
		"big.pem":                 strings.Repeat("x", largestFile+1),
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		path string
		keys int
		want string // in the error
	}{
		{filepath.Join(dir, "mixed"), 1, ""},
		{filepath.Join(dir, "two.pem"), 2, ""},
		{"testdata/keys", 8, ""},
		{"testdata/unusable", 5, ""}, // each named where it is tried
		{filepath.Join(dir, "empty"), 0, "no private key in this folder"},
		{filepath.Join(dir, "absent"), 0, "no such file"},
		{filepath.Join(dir, "cut.pem"), 0, "not an EC key as SEC 1 has it"},
		{filepath.Join(dir, "big.pem"), 0, "65537 bytes, a key file has at most 65536"},
		{"testdata/keys/rsa-public.pem", 0, "no private key in it"},
		{"testdata/unusable/secp256k1.pem", 0, "curve secp256k1 is not supported; P-256, P-384 and P-521 are"},
		{"testdata/unusable/brainpool-explicit.pem", 0, "a curve of 256 bits that is spelt out"},
		{"testdata/unusable/ed25519.pem", 0, "a key of algorithm 1.3.101.112; clients use RSA"},
		{"testdata/unusable/passphrase-pkcs8.pem", 0, "under a passphrase"},
		{"testdata/unusable/passphrase-legacy.pem", 0, "under a passphrase"},
	} {
		k, err := Load([]string{c.path})
		switch {
		case c.want == "" && (err != nil || k.Len() != c.keys):
			t.Errorf("%s: %d keys, %v; expected %d", c.path, k.Len(), err, c.keys)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), c.path+": ")):
			t.Errorf("%s: got %v, expected the path and %q", c.path, err, c.want)
		}
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// FuzzOpen seals nothing: whatever the wire brings must end in an error.
func FuzzOpen(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add([]byte(v.Wrapped), []byte(v.Nonce), []byte(v.Sealed))
	}
	known := vectors(f)
	k := load(f, "testdata/keys/p256-pkcs8.pem", "testdata/keys/p384-sec1.pem", "testdata/keys/p521-sec1.pem")
	f.Fuzz(func(t *testing.T, wrapped, nonce, sealed []byte) {
		got, err := k.Open(nil, []Recipient{{nil, wrapped}}, nonce, sealed)
		if err != nil {
			return
		}
		for _, v := range known {
			if string(got) == v.Plain {
				return
			}
		}
		t.Errorf("opened %q", got)
	})
}

// FuzzParsePEM: a key file may hold anything.
func FuzzParsePEM(f *testing.F) {
	for _, pattern := range []string{"testdata/keys/*", "testdata/unusable/*"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatal(pattern, err)
		}
		for _, file := range files {
			f.Add([]byte(read(f, file)))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, p := range parsePEM(b) {
			if (p.unwrap == nil) == (p.fault == nil) {
				t.Error("neither usable nor at fault")
			}
		}
	})
}
