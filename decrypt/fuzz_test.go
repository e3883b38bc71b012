package decrypt

import (
	"bytes"
	"encoding/binary"
	"testing"

	"pulsar-dissect/reassembly"
)

// FuzzStreams feeds two streams of any bytes, with the secrets of a recording,
// in pieces of any size and with gaps: no panic, plain text without holes, and
// every byte accounted for.
func FuzzStreams(f *testing.F) {
	var keys []string
	for _, x := range openSSL {
		r := readRecording(f, x.name)
		keys = append(keys, r.keys...)
		for _, c := range r.conns {
			f.Add(script(c))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		chunks := unscript(b)
		p := play(t, newDecrypter(t, Options{Limits: Limits{HandshakeMessage: 4096, Waiting: 8192}}, keys...), chunks)[0]
		for side := range p.plain {
			var sent, missing int64
			for _, c := range chunks {
				if int(c.side) == side {
					sent, missing = sent+int64(len(c.data)), missing+int64(c.gap)
				}
			}
			if int64(len(p.plain[side]))+p.sealed[side] > sent+missing {
				t.Fatalf("side %d: %d bytes plain and %d sealed of %d", side, len(p.plain[side]), p.sealed[side], sent+missing)
			}
		}
	})
}

// A script is chunks one after another: a byte that says which side and
// whether it is a gap, and two for the size; then the bytes.
func script(chunks []chunk) (b []byte) {
	for _, c := range chunks {
		for data := c.data; len(data) > 0; {
			n := min(len(data), 1<<16-1)
			b = append(b, byte(c.side))
			b = binary.BigEndian.AppendUint16(b, uint16(n))
			b, data = append(b, data[:n]...), data[n:]
		}
	}
	return b
}

func unscript(b []byte) (chunks []chunk) {
	for len(b) >= 3 {
		side, n := reassembly.Side(b[0]&1), int(binary.BigEndian.Uint16(b[1:]))
		gap := b[0]&2 != 0
		b = b[3:]
		if gap {
			chunks = append(chunks, chunk{side: side, gap: n + 1})
			continue
		}
		n = min(n, len(b))
		if n > 0 {
			chunks = append(chunks, chunk{side: side, data: b[:n]})
		}
		b = b[n:]
	}
	return chunks
}

// FuzzHandshake feeds handshake messages of any content to both sides.
func FuzzHandshake(f *testing.F) {
	for _, x := range openSSL {
		for _, c := range readRecording(f, x.name).conns {
			for _, k := range c[:2] {
				f.Add(byte(k.side), k.data[recordHeader:])
			}
		}
	}
	f.Fuzz(func(t *testing.T, side byte, b []byte) {
		d := newDecrypter(t, Options{})
		c := newConnection(&reassembly.Conn{SYNFrom: reassembly.Nobody})
		d.handshake(c, &c.halves[side&1], b)
		if c.facts.Version != c.n.version && c.n.version != 0 {
			t.Fatalf("version %x shown as %x", c.n.version, c.facts.Version)
		}
		c.n.transcript()
	})
}

// FuzzCertificate reads certificates of any content.
func FuzzCertificate(f *testing.F) {
	f.Add(selfSignedOf(f), false)
	f.Add([]byte{0x30, 0x82, 0xFF, 0xFF}, true)
	f.Fuzz(func(t *testing.T, der []byte, tls13 bool) {
		version, body := versionTLS12, []byte(nil)
		if tls13 {
			version, body = versionTLS13, []byte{0}
		}
		body = append(body, byte((len(der)+3)>>16), byte((len(der)+3)>>8), byte(len(der)+3), byte(len(der)>>16), byte(len(der)>>8), byte(len(der)))
		c := readCertificate(append(body, der...), version)
		if c == nil || len(c.Names) > mostNames || c.Fault != "" && c.Subject != "" {
			t.Fatalf("%+v", c)
		}
	})
}

func selfSignedOf(t testing.TB) []byte {
	p := newPeers(t)
	return p.server.Certificates[0].Certificate[0]
}

// FuzzKeyLog reads key logs of any content, whole and in two parts: what is
// known in the end is the same.
func FuzzKeyLog(f *testing.F) {
	f.Add([]byte("CLIENT_RANDOM "+someRandom+" "+someMaster+"\n# comment\nRSA Session-ID:aa Master-Key:"+someMaster), 10)
	f.Add([]byte("\x00\x00SERVER_TRAFFIC_SECRET_0 "+someRandom+" "+someSecret+"\r\n\r\n"), 3)
	f.Fuzz(func(t *testing.T, b []byte, cut int) {
		count := func(parts ...[]byte) (lines int) {
			d := newDecrypter(t, Options{})
			for _, p := range parts {
				whole, err := readLines(bytes.NewReader(p), func(line []byte) { d.keys.add(line) })
				if err != nil || whole > int64(len(p)) {
					t.Fatalf("%d of %d bytes, %v", whole, len(p), err)
				}
			}
			return len(d.keys.byRandom) + len(d.keys.byRSA) + len(d.keys.bySession)
		}
		cut = max(0, min(cut, len(b)))
		if i := bytes.LastIndexByte(b[:cut], '\n'); i >= 0 && len(b) < longestLine {
			if whole, parts := count(b), count(b[:i+1], b[i+1:]); whole != parts {
				t.Fatalf("%d secrets at once, %d in two parts", whole, parts)
			}
		}
		count(b)
	})
}
