package decrypt

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
)

// readCapture runs the stages up to this one.
func readCapture(t testing.TB, path string, o Options) (out []*played) {
	t.Helper()
	source, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	o.Secrets = source.Secrets
	d := newDecrypter(t, o)
	a := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{}))
	for e, err := range d.Events(a.Events(source.Packets())) {
		if err != nil {
			t.Fatal(err)
		}
		for len(out) <= e.Conn.ID {
			out = append(out, &played{})
		}
		out[e.Conn.ID].take(t, e)
	}
	return out
}

// frames cuts plain text into Pulsar frames, of which each begins with the
// size of the rest. -1: they do not fill it.
func frames(b []byte) (n int) {
	for len(b) >= 4 {
		size := 4 + int(binary.BigEndian.Uint32(b))
		if size > len(b) {
			return -1
		}
		b, n = b[size:], n+1
	}
	if len(b) > 0 {
		return -1
	}
	return n
}

// ofCapture says how many bytes of plain text, and frames in them, another
// decoder found in each connection, client first. What opens it is a key log
// or a server key beside the capture.
var ofCapture = []struct {
	name, key string
	bytes     [][2]int
	frames    [][2]int
}{
	{"tls13", "tls13.keylog", [][2]int{{4493, 4260}}, [][2]int{{30, 35}}},
	{"tls12-cbc", "tls12-cbc.keylog", [][2]int{{4493, 4260}}, [][2]int{{30, 35}}},
	{"tls12-rsakex-gcm", "tls12-rsakex-gcm.keylog", [][2]int{{4493, 4260}}, [][2]int{{30, 35}}},
	{"tls12-rsakex-gcm", "tls12-rsakex-gcm.serverkey.pem", [][2]int{{4493, 4260}}, [][2]int{{30, 35}}},
	{"tls12-resume", "tls12-resume.keylog", [][2]int{{1040, 266}, {1611, 300}, {1367, 334}, {2476, 368}}, [][2]int{{8, 8}, {9, 9}, {10, 10}, {11, 11}}},
	{"tls12-handshake-fails", "", make([][2]int, 7), make([][2]int, 7)},
	{"tls-nokeys", "", make([][2]int, 1), make([][2]int, 1)},
}

func keyOptions(path string) (o Options) {
	switch filepath.Ext(path) {
	case ".keylog":
		o.KeyLogs = []string{path}
	case ".pem":
		o.ServerKeys = []string{path}
	}
	return o
}

func TestCaptures(t *testing.T) {
	for _, x := range ofCapture {
		t.Run(x.name+" "+x.key, func(t *testing.T) {
			dir := filepath.Join(testkit.Root(t), "testdata", "captures", x.name)
			out := readCapture(t, filepath.Join(dir, x.name+".pcap"), keyOptions(filepath.Join(dir, x.key)))
			if len(out) != len(x.bytes) {
				t.Fatalf("%d connections, expected %d", len(out), len(x.bytes))
			}
			for i, p := range out {
				for side, b := range p.plain {
					if len(b) != x.bytes[i][side] || frames(b) != x.frames[i][side] {
						t.Errorf("connection %d side %d: %d bytes, %d frames; expected %d, %d", i, side, len(b), frames(b), x.bytes[i][side], x.frames[i][side])
					}
				}
			}
		})
	}
}

// Each of the connections without keys says why it is closed, and what its
// handshake tells.
func TestNoKeys(t *testing.T) {
	dir := filepath.Join(testkit.Root(t), "testdata", "captures")
	p := readCapture(t, filepath.Join(dir, "tls-nokeys", "tls-nokeys.pcap"), Options{})[0]
	f := p.facts
	if f.Keys || f.Why != reasonNoSecret || f.Cipher != "TLS_AES_256_GCM_SHA384" || f.ServerName != "10.99.0.2" || f.Version != versionTLS13 {
		t.Errorf("facts are %+v", f)
	}
	if p.sealed != [2]int64{5245, 6705} || !slices.Equal(p.why[0], []string{reasonNoSecret}) || !slices.Equal(p.why[1], []string{reasonNoSecret}) {
		t.Errorf("sealed %v: %q", p.sealed, p.why)
	}
}

func TestHandshakeFails(t *testing.T) {
	dir := filepath.Join(testkit.Root(t), "testdata", "captures", "tls12-handshake-fails")
	for i, p := range readCapture(t, filepath.Join(dir, "tls12-handshake-fails.pcap"), Options{}) {
		f := p.facts
		if f.Keys || f.Why != "" || f.Version != 0 || f.Offered != versionTLS12 || f.ServerName != "localhost" || len(f.Alerts) != 1 {
			t.Fatalf("connection %d: facts are %+v", i, f)
		}
		a := f.Alerts[0]
		if !a.Fatal || a.From != 1 || a.Code != 40 || a.Description != "handshake_failure" || a.At.Packet != uint64(6+10*i) {
			t.Errorf("connection %d: alert is %+v", i, a)
		}
	}
}

func TestCertificateOfCapture(t *testing.T) {
	dir := filepath.Join(testkit.Root(t), "testdata", "captures", "tls12-cbc")
	f := readCapture(t, filepath.Join(dir, "tls12-cbc.pcap"), Options{})[0].facts
	c := f.Certificate
	if c == nil || c.Subject != "CN=broker" || c.Issuer != "CN=lab-ca" || c.NotAfter.Format("2006-01-02") != "2036-11-27" ||
		!slices.Equal(c.Names, []string{"localhost", "10.99.0.2", "fd00::2", "127.0.0.1"}) {
		t.Errorf("certificate is %+v", c)
	}
}

// TestSharedCaptures holds all TLS captures against the frames that an
// independent decoder found: plain text that is theirs, each frame where it
// says, none beyond.
func TestSharedCaptures(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(testkit.Shared(t), "captures", "tls*.pcap*"))
	if err != nil || len(paths) == 0 {
		t.Skip("no TLS captures among the shared ones")
	}
	for _, path := range paths {
		name := filepath.Base(path)
		stem := strings.TrimSuffix(path, filepath.Ext(path))
		keys := []string{"none"}
		for _, k := range []string{stem + ".keylog", stem + ".serverkey.pem"} {
			if _, err := os.Stat(k); err == nil {
				keys = append(keys, k)
			}
		}
		if len(keys) > 1 {
			keys = keys[1:]
		}
		for _, key := range keys {
			t.Run(name+" "+filepath.Base(key), func(t *testing.T) {
				compare(t, name, readCapture(t, path, keyOptions(key)))
			})
		}
	}
}

// stream names a direction as the oracle's records do.
type stream struct {
	conn int64
	dir  string
}

func compare(t *testing.T, name string, out []*played) {
	ends := map[stream]int64{}
	for r := range testkit.Oracle(t, name) {
		if r["kind"] != "frame" {
			continue
		}
		conn, off, size := number(r["stream"]), number(r["off"]), number(r["wire_len"])
		side := slices.Index([]string{"c2s", "s2c"}, r["dir"].(string))
		b := out[conn].plain[side]
		if off+size > int64(len(b)) || int64(binary.BigEndian.Uint32(b[off:]))+4 != size {
			t.Fatalf("connection %d %s: no frame of %d bytes at %d of %d", conn, r["dir"], size, off, len(b))
		}
		ends[stream{conn, r["dir"].(string)}] = off + size
	}
	for i, p := range out {
		for side, dir := range []string{"c2s", "s2c"} {
			if end := ends[stream{int64(i), dir}]; end != int64(len(p.plain[side])) {
				t.Errorf("connection %d %s: %d bytes of plain text, frames for %d", i, dir, len(p.plain[side]), end)
			}
		}
	}
}

func number(v any) int64 {
	n, _ := v.(json.Number).Int64()
	return n
}
