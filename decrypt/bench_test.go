package decrypt

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/tls"
	"testing"

	"pulsar-dissect/reassembly"
)

// bulk is a session in which the client sends full records.
func bulk(b *testing.B, suite, version uint16) (keys string, chunks []chunk, plain int) {
	p := newPeers(b)
	p.client.MaxVersion, p.client.CipherSuites = version, []uint16{suite}
	sent := make([]byte, 1<<20)
	chunks = recut(p.session(b, sent), 1448)
	return p.keys.String(), chunks, 2 * len(sent)
}

// BenchmarkBulk opens sessions of 1 MiB each way in segments of 1,448 bytes.
func BenchmarkBulk(b *testing.B) {
	for _, x := range []struct {
		name           string
		suite, version uint16
	}{
		{"tls13", 0, tls.VersionTLS13},
		{"tls12-gcm128", tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, tls.VersionTLS12},
		{"tls12-gcm256", tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, tls.VersionTLS12},
		{"tls12-chacha", tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, tls.VersionTLS12},
		{"tls12-cbc", tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, tls.VersionTLS12},
	} {
		b.Run(x.name, func(b *testing.B) {
			keys, chunks, plain := bulk(b, x.suite, x.version)
			events := eventsOf(chunks)
			b.SetBytes(int64(plain))
			b.ReportAllocs()
			for b.Loop() {
				d := newDecrypter(b, Options{}, keys)
				n := 0
				for e := range d.Events(events()) {
					if e.Kind == reassembly.Data {
						n += len(e.Data)
					}
				}
				if n != plain {
					b.Fatalf("%d bytes of plain text, expected %d", n, plain)
				}
			}
		})
	}
}

// eventsOf makes the events once, so that making them costs nothing.
func eventsOf(chunks []chunk) func() func(yield func(*reassembly.Event, error) bool) {
	var list []reassembly.Event
	for e, err := range connections([][]chunk{chunks}) {
		if err == nil {
			list = append(list, *e)
		}
	}
	i := 0
	for k := range list {
		if list[k].Kind == reassembly.Data {
			list[k].Data = chunks[i].data
			i++
		}
	}
	return func() func(yield func(*reassembly.Event, error) bool) {
		c := &reassembly.Conn{PlainStart: [2]bool{true, true}}
		return func(yield func(*reassembly.Event, error) bool) {
			var e reassembly.Event
			for i := range list {
				e = list[i]
				e.Conn = c
				if !yield(&e, nil) {
					return
				}
			}
		}
	}
}

// BenchmarkAEAD is the bound: opening records of 16 KiB and nothing else.
func BenchmarkAEAD(b *testing.B) {
	for name, size := range map[string]int{"gcm128": 16, "gcm256": 32} {
		b.Run(name, func(b *testing.B) {
			block, err := aes.NewCipher(make([]byte, size))
			if err != nil {
				b.Fatal(err)
			}
			g, err := cipher.NewGCM(block)
			if err != nil {
				b.Fatal(err)
			}
			nonce, header := make([]byte, nonceSize), make([]byte, recordHeader)
			record := g.Seal(nil, nonce, make([]byte, 1<<14), header)
			plain := make([]byte, 0, len(record))
			b.SetBytes(1 << 14)
			for b.Loop() {
				if _, err := g.Open(plain, nonce, record, header); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The number of records does not matter to the number of allocations.
func TestNoAllocationPerRecord(t *testing.T) {
	p := newPeers(t)
	allocations := func(size int) float64 {
		p.keys.Reset()
		chunks := recut(p.session(t, make([]byte, size)), 1448)
		keys, events := p.keys.String(), eventsOf(chunks)
		return testing.AllocsPerRun(5, func() {
			for _, err := range newDecrypter(t, Options{}, keys).Events(events()) {
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	small, large := allocations(1<<16), allocations(1<<21)
	if large > small+20 {
		t.Errorf("%v allocations for 64 KiB, %v for 2 MiB", small, large)
	}
}
