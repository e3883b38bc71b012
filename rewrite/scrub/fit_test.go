package scrub

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/codec"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/internal/wiremake"
)

func streams(t testing.TB) *Streams {
	t.Helper()
	s, err := NewStreams(Options{Seed: []byte("seed")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Text of few words compresses as application data does.
func prose(r *rand.Rand, n int) []byte {
	words := []string{"order ", "customer ", `{"id":`, "1234,", "river", " bank", "\n", "total: "}
	var b []byte
	for len(b) < n {
		b = append(b, words[r.IntN(len(words))]...)
	}
	return b[:n]
}

// An entry of each codec and variant becomes another one of the same size, plain
// and compressed.
func TestFit(t *testing.T) {
	s, r := streams(t), rand.New(rand.NewPCG(1, 2))
	for i := range presses {
		p := &presses[i]
		for _, size := range []int{1, 7, 20, 33, 90, 500, 4000, 70_000} {
			for _, original := range [][]byte{prose(r, size), s.noise(r, size), bytes.Repeat([]byte{'a'}, size)} {
				plain := bytes.Clone(original)
				b := p.compress(original)
				name := fmt.Sprint(p.codec, p.variant, size)
				if !s.fit(b, p.codec, p.variant, plain, [][]byte{plain}) {
					t.Errorf("%s: does not fit into %d bytes", name, len(b))
					continue
				}
				var d codec.Decompressor
				got, err := d.Decompress(p.codec, b, uint32(size), true)
				if err != nil || got.Variant != p.variant || !bytes.Equal(got.Plain, plain) {
					t.Errorf("%s: %v, variant %q", name, err, got.Variant)
				}
				if size >= 20 && bytes.Equal(got.Plain, original) {
					t.Errorf("%s: nothing was replaced", name)
				}
			}
		}
	}
}

func (s *Streams) noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.IntN(256))
	}
	return b
}

// Each codec's results can be made longer without changing what they hold.
func TestLengthen(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	plain := append(bytes.Repeat([]byte("ab"), 300), prose(r, 300)...)
	for i := range presses {
		p := &presses[i]
		lengths := 0
		for by := range 40 {
			b := p.compress(plain)
			out := p.lengthen(b, by, plain)
			if out == nil {
				continue
			}
			lengths++
			var d codec.Decompressor
			got, err := d.Decompress(p.codec, out, uint32(len(plain)), true)
			if len(out) != len(b)+by || err != nil || !bytes.Equal(got.Plain, plain) {
				t.Errorf("%s %s by %d: %d to %d bytes, %v", p.codec, p.variant, by, len(b), len(out), err)
			}
		}
		if lengths == 0 {
			t.Errorf("%s %s cannot even stay", p.codec, p.variant)
		}
	}
}

// Texts keep their length, are never the same for two, and always the same for
// one.
func TestTexts(t *testing.T) {
	n := newNames([]byte("seed"))
	given := map[string]string{}
	for i := range 2000 {
		text := fmt.Sprint("key-", i)
		r := n.text(text)
		if len(r) != len(text) || r == text || n.text(text) != r || given[r] != "" {
			t.Fatalf("%s becomes %s, as %q does", text, r, given[r])
		}
		given[r] = text
	}
	if r := n.text("a2V5MQ=="); len(r) != 8 || r[6:] != "==" {
		t.Errorf("padding does not stay: %s", r)
	}
	if newNames([]byte("other")).text("key-1") == n.text("key-1") {
		t.Error("the seed does not matter")
	}
}

func TestAddresses(t *testing.T) {
	n := newNames([]byte("seed"))
	given := map[netip.Addr]bool{}
	for _, text := range []string{"10.99.0.7", "127.0.0.1", "192.168.100.200", "8.8.8.8", "::1", "fe80::1", "2001:db8:0:1:2:3:4:5", "255.255.255.255"} {
		a := netip.MustParseAddr(text)
		r := n.address(a)
		if len(r.String()) != len(text) || r == a || given[r] || n.address(a) != r || r.Is4() != a.Is4() {
			t.Errorf("%s becomes %s", a, r)
		}
		given[r] = true
	}
	in := "pulsar://10.99.0.7:6650, /[fe80::1]:80 and 10.99.0.7, version 4.0.7"
	out := n.freeText(in)
	want := fmt.Sprintf("pulsar://%[1]s:6650, /[%[2]s]:80 and %[1]s, version 4.0.7", n.address(netip.MustParseAddr("10.99.0.7")), n.address(netip.MustParseAddr("fe80::1")))
	if out != want {
		t.Errorf("%s becomes %s, want %s", in, out, want)
	}
}

// Known texts are replaced as words.
func TestKnownTexts(t *testing.T) {
	n := newNames([]byte("seed"))
	n.remember("excl")
	r := n.text("excl")
	if got, want := n.freeText("exclusive producer excl: (excl)"), "exclusive producer "+r+": ("+r+")"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What comes out of the spool is what went in; what is not there is told.
func TestSpool(t *testing.T) {
	s, err := newSpool()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	of := streamOf{1, 0}
	for _, x := range []struct {
		of     streamOf
		offset int64
		text   string
	}{{of, 20, "later"}, {streamOf{1, 1}, 0, "other side"}, {of, 0, "hello"}, {of, 5, "world"}} {
		if err := s.add(x.of, x.offset, []byte(x.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.sort(); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		offset int64
		n      int
		want   string
	}{{0, 10, "helloworld"}, {3, 4, "lowo"}, {-2, 4, "..he"}, {8, 14, "ld,,,,,,,,,,la"}, {22, 6, "ter,,,"}, {40, 2, ".."}, {12, 2, ".."}} {
		b := make([]byte, x.n)
		if err := s.read(of, x.offset, b, func(b []byte, _ int64, behind bool) {
			for i := range b {
				b[i] = map[bool]byte{false: '.', true: ','}[behind]
			}
		}); err != nil || string(b) != x.want {
			t.Errorf("%d bytes at %d: %q, %v, want %q", x.n, x.offset, b, err, x.want)
		}
	}
}

// Any beginning of a command keeps its length and its fields' tags; texts in it
// do not stay.
func TestPrefix(t *testing.T) {
	s := streams(t)
	for _, c := range wiremake.Types() {
		whole := wiremake.Bytes(wiremake.Filled(c, 1))
		for n := range len(whole) + 1 {
			b := bytes.Clone(whole[:n])
			s.prefix(b, wire.BaseCommand)
			if n == len(whole) {
				var was, is wire.Walk
				if was.Parse(wire.BaseCommand, whole) != nil || is.Parse(wire.BaseCommand, b) != nil || len(was.Nodes) != len(is.Nodes) {
					t.Errorf("%s: other fields", c)
				}
			}
		}
	}
}

func FuzzPrefix(f *testing.F) {
	f.Add([]byte{8, 2, 18, 200, 1, 10, 5, 'h', 'e'})
	f.Fuzz(func(t *testing.T, b []byte) {
		n := len(b)
		streams(t).prefix(b, wire.BaseCommand)
		if len(b) != n {
			t.Fatal("another length")
		}
	})
}

// Any bytes that can be a frame keep their length, their sizes and the verdict on
// their checksum.
func FuzzFrame(f *testing.F) {
	seeds := streams(f)
	for _, c := range wiremake.Types() {
		f.Add(wiremake.Frame(wiremake.Filled(c, 1)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var before, after decode.Frame
		if _, ok := decode.ReadFrame(&before, b); !ok {
			return
		}
		out := seeds.frame(&before)
		if len(out) != len(b) || !bytes.Equal(out[:2*sizeField], b[:2*sizeField]) {
			t.Fatalf("%x becomes %x", b, out)
		}
		if decode.ReadFrame(&after, out); after.Checksum != before.Checksum {
			t.Fatalf("checksum %s, %s before", after.Checksum, before.Checksum)
		}
	})
}
