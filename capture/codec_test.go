package capture

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// packers pack as the codecs unpack; bzip2, which has none, comes from a file.
var packers = map[string]func(io.Writer) (io.WriteCloser, error){
	"gzip": func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
	"zstd": func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
	"lz4":  func(w io.Writer) (io.WriteCloser, error) { return lz4.NewWriter(w), nil },
	"xz":   func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) },
}

func pack(t testing.TB, name string, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := packers[name](&out)
	if err == nil {
		_, err = w.Write(b)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// packedBase is the base capture in every codec.
func packedBase(t testing.TB) map[string][]byte {
	t.Helper()
	all := map[string][]byte{"bzip2": baseBzip2(t)}
	for name := range packers {
		all[name] = pack(t, name, basePcap(t))
	}
	for _, c := range codecs {
		if all[c.name] == nil {
			t.Fatal("no packed file for", c.name)
		}
	}
	return all
}

func TestCodecs(t *testing.T) {
	plain := readBytes(t, basePcap(t))
	for name, packed := range packedBase(t) {
		t.Run(name, func(t *testing.T) {
			got := readBytes(t, packed)
			got.sound(t, basePackets)
			if !samePackets(got.packets, plain.packets) {
				t.Error("the packets differ from those of the plain file")
			}
		})
	}
}

// TestCodecStreams has several streams one after another, split inside a packet.
func TestCodecStreams(t *testing.T) {
	base := basePcap(t)
	for name := range packers {
		t.Run(name, func(t *testing.T) {
			packed := slices.Concat(pack(t, name, base[:5000]), pack(t, name, base[5000:5001]), pack(t, name, base[5001:]))
			readBytes(t, packed).sound(t, basePackets)
		})
	}
	t.Run("skippable zstd frame", func(t *testing.T) {
		skipped := []byte{0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4}
		readBytes(t, slices.Concat(skipped, pack(t, "zstd", base), skipped)).sound(t, basePackets)
	})
	t.Run("bzip2", func(t *testing.T) { // two captures
		got := readBytes(t, slices.Concat(baseBzip2(t), baseBzip2(t)))
		got.warned(t, 2*basePackets, int64(len(base)))
	})
}

// TestCodecJunk has something else behind the stream.
func TestCodecJunk(t *testing.T) {
	size := int64(len(basePcap(t)))
	for name, packed := range packedBase(t) {
		t.Run(name, func(t *testing.T) {
			got := readBytes(t, append(slices.Clone(packed), "something else, and rather long"...))
			got.warned(t, basePackets, size)
			if w := got.warnings[0]; !strings.Contains(w.Text, "what follows the "+name+" stream") || w.Within != name {
				t.Error(w)
			}
		})
	}
}

// TestCodecCut cuts a compressed file at many bytes: no more packets, the
// shorter it is, and a warning, or an error of Open, that tells of the cut.
func TestCodecCut(t *testing.T) {
	for name, packed := range packedBase(t) {
		t.Run(name, func(t *testing.T) {
			packets := basePackets
			for n := len(packed) - 1; n > 50; n -= 37 {
				packets = checkCodecCut(t, name, packed[:n], packets)
			}
			if packets > 0 {
				t.Errorf("%d packets of next to nothing", packets)
			}
		})
	}
}

func checkCodecCut(t *testing.T, name string, cut []byte, most int) int {
	t.Helper()
	var warnings []Warning
	s, err := Open([]string{"-"}, Options{Stdin: bytes.NewReader(cut), Warn: func(w Warning) { warnings = append(warnings, w) }})
	if err != nil {
		if !strings.Contains(err.Error(), "cut off") {
			t.Errorf("cut at %d: %v", len(cut), err)
		}
		return 0
	}
	defer s.Close()
	got := 0
	for _, err := range s.Packets() {
		if err != nil {
			t.Fatalf("cut at %d: %v", len(cut), err)
		}
		got++
	}
	last := warnings[len(warnings)-1].Text
	if got > most || !strings.Contains(last, "the "+name+" stream is cut off") {
		t.Errorf("cut at %d: %d packets after %d; %s", len(cut), got, most, last)
	}
	return got
}

// TestGzipCut knows that gzip gives out what is before the cut.
func TestGzipCut(t *testing.T) {
	packed := pack(t, "gzip", basePcap(t))
	got := readBytes(t, packed[:len(packed)/2])
	if n := len(got.packets); n < 25 || n > 70 {
		t.Errorf("%d packets of half a file of %d", n, basePackets)
	}
	if len(got.warnings) != 2 || len(got.errs) > 0 { // in a packet, and in the stream
		t.Error(got.warnings, got.errs)
	}
}

// TestCodecDamage flips bits within the stream: an error, be it of the codec's
// own checks or of the packets that come of it, and names the codec.
func TestCodecDamage(t *testing.T) {
	const packets = 40_000
	body := pcapBytes(packets, 200) // more than any codec's block
	for name := range packers {
		t.Run(name, func(t *testing.T) {
			packed := pack(t, name, body)
			packed[len(packed)/2] ^= 0xff
			packed[len(packed)/2+1] ^= 0xff
			got := readBytes(t, packed)
			var e *Error
			if len(got.errs) != 1 || !errors.As(got.errs[0], &e) || e.Within != name {
				t.Fatalf("%d packets, errors %v, warnings %v", len(got.packets), got.errs, got.warnings)
			}
			if n := len(got.packets); n < packets/5 || n > packets*3/4 {
				t.Errorf("%d of %d packets", n, packets)
			}
		})
	}
}

// TestCodecChecksum damages only the checksum at the end. (Of zstd the last
// block is lost then, here the whole file.)
func TestCodecChecksum(t *testing.T) {
	for name, fromEnd := range map[string]int{"gzip": 8, "lz4": 4} {
		t.Run(name, func(t *testing.T) {
			packed := pack(t, name, basePcap(t))
			packed[len(packed)-fromEnd] ^= 0xff
			got := readBytes(t, packed)
			got.broken(t, basePackets, int64(len(basePcap(t))))
			if text := got.errs[0].Error(); !strings.Contains(text, "the "+name+" stream is damaged before compressed byte ") {
				t.Error(text)
			}
		})
	}
}

func TestCodecTwice(t *testing.T) {
	twice := pack(t, "zstd", pack(t, "gzip", basePcap(t)))
	_, err := Open([]string{"-"}, Options{Stdin: bytes.NewReader(twice)})
	if err == nil || !strings.Contains(err.Error(), "no capture in the zstd stream: it is compressed twice, the inner time with gzip") {
		t.Error(err)
	}
}

func TestCodecOfSomethingElse(t *testing.T) {
	_, err := Open([]string{"-"}, Options{Stdin: bytes.NewReader(pack(t, "gzip", []byte("hello, this is text\n")))})
	if err == nil || !strings.Contains(err.Error(), "no capture in the gzip stream: it looks like text") {
		t.Error(err)
	}
}

// TestUnpackerGuard takes a panic within a decompressor for damage.
func TestUnpackerGuard(t *testing.T) {
	u := &unpacker{codec: &codecs[0], raw: newWindow(strings.NewReader(""), make([]byte, 10)), data: panicking{}}
	n, err := u.Read(make([]byte, 10))
	var packed *unpackError
	if n != 0 || !errors.As(err, &packed) || packed.harmless() || !strings.Contains(err.Error(), "boom") {
		t.Error(n, err)
	}
}

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("boom") }
func (panicking) Close() error             { return nil }
