package decrypt

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// small are recordings in which every byte is cut or changed.
var small = []string{"tls13-ccm8", "tls13-keyupdate", "tls13-early", "tls12-sessionid", "tls12-etm-sha256", "tls10", "tls12-rsa-etm"}

// whole is what a recording holds when nothing is wrong with it.
func whole(t testing.TB, r recording) []*played {
	return play(t, newDecrypter(t, Options{}, r.keys...), r.conns...)
}

// A stream that ends anywhere gives the start of the plain text, and never
// panics.
func TestTruncated(t *testing.T) {
	for _, name := range small {
		r := readRecording(t, name)
		full := whole(t, r)
		for i := range r.conns {
			for cut := range sizeOf(r.conns[i]) {
				conns := append([][]chunk(nil), r.conns...)
				conns[i] = truncated(r.conns[i], cut)
				p := play(t, newDecrypter(t, Options{}, r.keys...), conns...)[i]
				if p.facts == nil {
					continue // too little to tell TLS
				}
				for side := range p.plain {
					if !bytes.HasPrefix(full[i].plain[side], p.plain[side]) {
						t.Fatalf("%s: cut after %d bytes side %d gives %q", name, cut, side, p.plain[side])
					}
				}
			}
		}
	}
}

func sizeOf(chunks []chunk) (n int) {
	for _, c := range chunks {
		n += len(c.data)
	}
	return n
}

func truncated(chunks []chunk, n int) (out []chunk) {
	for _, c := range chunks {
		c.data = c.data[:min(n, len(c.data))]
		if n -= len(c.data); len(c.data) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// Whatever a changed byte does, plain text that comes out is the right one.
func TestFlipped(t *testing.T) {
	for _, name := range small {
		r := readRecording(t, name)
		full := whole(t, r)
		last := len(r.conns) - 1
		for at := range sizeOf(r.conns[last]) {
			for _, bit := range []byte{0x01, 0x80} {
				conns := append([][]chunk(nil), r.conns...)
				conns[last] = flipped(r.conns[last], at, bit)
				p := play(t, newDecrypter(t, Options{}, r.keys...), conns...)[last]
				if p.facts == nil && at < told {
					continue // not TLS any more
				}
				for side := range p.plain {
					if !bytes.HasPrefix(full[last].plain[side], p.plain[side]) {
						t.Fatalf("%s: bit %#x of byte %d, side %d gives %q", name, bit, at, side, p.plain[side])
					}
				}
			}
		}
	}
}

func flipped(chunks []chunk, at int, bit byte) []chunk {
	out := append([]chunk(nil), chunks...)
	for i, c := range out {
		if at < len(c.data) {
			out[i].data = bytes.Clone(c.data)
			out[i].data[at] ^= bit
			return out
		}
		at -= len(c.data)
	}
	return out
}

// Behind a gap the plain text goes on where it is: the sizes of the records
// tell how much is missing. tls12-sessionid and the TLS 1.3 ones have ciphers
// whose records are as long as their content, but for a constant.
func TestGaps(t *testing.T) {
	names := []string{"tls13-ccm8", "tls13-ccm", "tls12-sessionid", "tls12-dhe"}
	resumed := 0
	for seed := range uint64(400) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		name := names[rnd.IntN(len(names))]
		r := readRecording(t, name)
		full := whole(t, r)
		pieces := recut(r.conns[0], 10+rnd.IntN(100))
		for range 1 + rnd.IntN(2) {
			i := 1 + rnd.IntN(len(pieces)-1)
			pieces[i] = chunk{side: pieces[i].side, gap: len(pieces[i].data) + pieces[i].gap}
		}
		p := play(t, newDecrypter(t, Options{}, r.keys...), pieces)[0]
		for side, b := range p.plain {
			if p.gaps[side] > 0 || p.loose[side] {
				resumed++
			}
			if len(b) > len(full[0].plain[side]) {
				t.Fatalf("seed %d: %s side %d: %d bytes of plain text, of %d", seed, name, side, len(b), len(full[0].plain[side]))
			}
			for i := range b {
				if !p.loose[side] && b[i] != 0 && b[i] != full[0].plain[side][i] {
					t.Fatalf("seed %d: %s side %d gives %q", seed, name, side, b)
				}
			}
			for _, part := range p.parts[side] {
				if !bytes.Contains(full[0].plain[side], part) {
					t.Fatalf("seed %d: %s side %d gives %q", seed, name, side, part)
				}
			}
		}
	}
	if resumed < 40 {
		t.Errorf("only %d directions were taken up again", resumed)
	}
}

// What is missing where there are no secrets is the secret, gap or not.
func TestGapWithoutSecrets(t *testing.T) {
	r := readRecording(t, "tls13-ccm")
	chunks := append([]chunk(nil), r.conns[0]...)
	last := len(chunks) - 1
	chunks = append(chunks, chunk{side: 0, gap: 100}, chunk{side: 1, gap: 100}, chunks[last])
	p := play(t, newDecrypter(t, Options{}, "# none"), chunks)[0]
	if p.facts.Why != reasonNoSecret || p.why[0][0] != reasonNoSecret || p.why[1][0] != reasonNoSecret || p.gaps != [2]int64{} {
		t.Errorf("facts %+v, sealed %v %q", p.facts, p.sealed, p.why)
	}
}

// The gap that a gap in the records leaves in the plain text.
func TestGapOfOneRecord(t *testing.T) {
	r := readRecording(t, "tls13-ccm")
	var pieces []chunk
	n := 0
	for _, c := range r.conns[0] {
		if c.side == 0 && c.data[0] == contentApplication && len(c.data) > 5 && recordSize(c.data) == len(c.data) {
			if n++; n == 1 {
				c = chunk{side: 0, gap: len(c.data)}
			}
		}
		pieces = append(pieces, c)
	}
	p := play(t, newDecrypter(t, Options{}, r.keys...), pieces)[0]
	const first = "from the client, first\n"
	want := string(make([]byte, len(first))) + "second, of the client\n"
	if string(p.plain[0]) != want || p.gaps[0] != int64(len(first)) || p.sealed[0] != 0 {
		t.Errorf("plain text %q, gap of %d, sealed %v %q", p.plain[0], p.gaps[0], p.sealed, p.why)
	}
}

// A gap that takes a hello leaves nothing to open, and it is said.
func TestGapOfHello(t *testing.T) {
	r := readRecording(t, "tls13-ccm")
	for i, why := range []string{reasonNoHandshake, reasonGap} {
		pieces := append([]chunk(nil), r.conns[0]...)
		pieces[i] = chunk{side: pieces[i].side, gap: len(pieces[i].data)}
		p := play(t, newDecrypter(t, Options{}, r.keys...), pieces)[0]
		p.plain[0] = bytes.TrimLeft(p.plain[0], "\x00")
		checkPlain(t, p, "", "")
		if p.facts.Why != why || p.sealed[0] == 0 || p.sealed[1] == 0 {
			t.Errorf("without chunk %d: sealed %v, %q", i, p.sealed, p.facts.Why)
		}
	}
}

// Damage in the middle ends the direction: nothing behind it is opened.
func TestBadRecord(t *testing.T) {
	r := readRecording(t, "tls13-ccm")
	chunks := append([]chunk(nil), r.conns[0]...)
	for i := range chunks {
		if c := &chunks[i]; c.side == 1 && i > len(chunks)/2 {
			c.data = bytes.Clone(c.data)
			c.data[len(c.data)-1] ^= 1
			break
		}
	}
	p := play(t, newDecrypter(t, Options{}, r.keys...), chunks)[0]
	checkPlain(t, p, fromClient, "from the server, first\n")
	if len(p.why[1]) != 1 || p.why[1][0] != reasonBadRecord || p.facts.Why != reasonBadRecord || !p.facts.Keys {
		t.Errorf("sealed %v %q, facts %+v", p.sealed, p.why, p.facts)
	}
}

// A log whose secrets are of another session opens nothing.
func TestWrongSecrets(t *testing.T) {
	for _, name := range small {
		r := readRecording(t, name)
		var keys []string
		for _, l := range r.keys {
			b := []byte(l)
			for i := len(b) - 64; i < len(b); i++ {
				b[i] = '1'
			}
			keys = append(keys, string(b))
		}
		for i, p := range play(t, newDecrypter(t, Options{}, keys...), r.conns...) {
			checkPlain(t, p, "", "")
			if p.facts.Why == "" || p.sealed[0] == 0 || p.sealed[1] == 0 {
				t.Errorf("%s connection %d: sealed %v %q, facts %+v", name, i, p.sealed, p.why, p.facts)
			}
		}
	}
}
