package codec

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"pulsar-dissect/internal/testkit"
)

// must decompresses and fails the test on an error.
func must(t *testing.T, d *Decompressor, c Codec, src []byte, size int) Result {
	t.Helper()
	r, err := d.Decompress(c, src, uint32(size), true)
	if err != nil {
		t.Fatalf("%s: %v", c, err)
	}
	return r
}

// code is the code of err, or empty.
func code(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestVectors(t *testing.T) {
	lorem := string(testkit.Testdata(t, "vectors", "java-lorem.txt"))
	zeros := string(make([]byte, 10))
	for _, v := range []struct {
		file, plain, variant string
		codec                Codec
	}{
		{"fs-Hello.lz4", "Hello", "", LZ4},
		{"fs-Hello.snappy", "Hello", "", Snappy},
		{"fs-Hello.zlib", "Hello", VariantZlibUnterminated, Zlib},
		{"fs-Hello.zstd", "Hello", "", Zstd},
		{"go-hello.lz4", "hello", "", LZ4},
		{"go-hello.snappy", "hello", "", Snappy},
		{"go-hello.zlib", "hello", VariantZlibUnterminated, Zlib},
		{"go-hello.zstd", "hello", "", Zstd},
		{"cpp-zlib-10zeros.bin", zeros, "", Zlib},
		{"java-zlib-10zeros.bin", zeros, VariantZlibUnterminated, Zlib},
		{"java-lorem.lz4blk", lorem, "", LZ4},
		{"java-lorem.zlib", lorem, VariantZlibUnterminated, Zlib},
	} {
		t.Run(v.file, func(t *testing.T) {
			var d Decompressor
			r := must(t, &d, v.codec, testkit.Testdata(t, "vectors", v.file), len(v.plain))
			if string(r.Plain) != v.plain || r.Variant != v.variant {
				t.Errorf("got %q, variant %q", r.Plain, r.Variant)
			}
		})
	}
}

// samples are plain payloads of several kinds and sizes, the last one larger
// than what is reserved unproven.
func samples() [][]byte {
	rnd := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 300_000)
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	text := bytes.Repeat([]byte("the quick brown fox jumps over the lazy dog. "), 5000)
	return [][]byte{{}, {7}, []byte("hello"), noise, text, make([]byte, 1<<20),
		append(bytes.Repeat(noise, 30), text...)}
}

func TestRoundTrip(t *testing.T) {
	var d Decompressor // one for all: what a call leaves behind must not show
	for _, w := range writers {
		for _, plain := range samples() {
			r := must(t, &d, w.codec, w.write(plain), len(plain))
			if !bytes.Equal(r.Plain, plain) {
				t.Errorf("%s, %d bytes: not what went in", w.name, len(plain))
			}
			if r.Variant != w.variant {
				t.Errorf("%s, %d bytes: variant %q", w.name, len(plain), r.Variant)
			}
		}
	}
}

func TestNone(t *testing.T) {
	var d Decompressor
	src := []byte("as it is")
	r, err := d.Decompress(None, src, 99, false)
	if err != nil || &r.Plain[0] != &src[0] || len(r.Plain) != len(src) {
		t.Errorf("got %q, %v", r.Plain, err)
	}
}

// TestTruncated cuts each form after every byte. Only a zlib stream may lose
// its end, once everything is out: the last block and the Adler-32.
func TestTruncated(t *testing.T) {
	plain := []byte("abcabcabcabcabcabc, and something else, abcabc")
	var d Decompressor
	for _, w := range writers {
		whole := w.write(plain)
		for n := range whole {
			r, err := d.Decompress(w.codec, whole[:n:n], uint32(len(plain)), true)
			spared := w.codec == Zlib && bytes.Equal(r.Plain, plain) && r.Variant == VariantZlibUnterminated
			if err == nil && !spared {
				t.Errorf("%s, %d of %d bytes: no error, %q", w.name, n, len(whole), r.Plain)
			}
			if c := code(err); err != nil && c != DecompressError && c != UncompressedSizeMismatch {
				t.Errorf("%s, %d of %d bytes: %v", w.name, n, len(whole), err)
			}
		}
	}
}

func TestWrongSize(t *testing.T) {
	plain := bytes.Repeat([]byte("0123456789"), 300)
	var d Decompressor
	for _, w := range writers {
		if w.variant == VariantLZ4LengthPrefix {
			continue // it is known by its size only
		}
		src := w.write(plain)
		for _, size := range []int{0, 1, len(plain) - 100, len(plain) - 1, len(plain) + 1, len(plain) + 100, eagerSize + 1} {
			_, err := d.Decompress(w.codec, src, uint32(size), true)
			if code(err) != UncompressedSizeMismatch {
				t.Errorf("%s: %d bytes said to be %d: %v", w.name, len(plain), size, err)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	block := compressLZ4([]byte("hello"))
	for _, v := range []struct {
		name    string
		codec   Codec
		src     []byte
		size    uint32
		present bool
		want    Code
		state   string
	}{
		{"no size", LZ4, block, 0, false, NoUncompressedSize, "decompress_error"},
		{"absurd size", Zstd, nil, DefaultMaxSize + 1, true, UncompressedSizeAbsurd, "decompress_error"},
		{"unknown codec", 5, block, 5, true, UnknownCodec, "decompress_error"},
		{"negative codec", -1, block, 5, true, UnknownCodec, "decompress_error"},
		{"wrong size", LZ4, block, 6, true, UncompressedSizeMismatch, "uncompressed_size_mismatch"},
		{"empty lz4", LZ4, nil, 5, true, UncompressedSizeMismatch, "uncompressed_size_mismatch"},
		{"empty snappy", Snappy, nil, 5, true, DecompressError, "decompress_error"},
		{"empty zstd", Zstd, nil, 5, true, DecompressError, "decompress_error"},
		{"empty zlib", Zlib, nil, 5, true, UncompressedSizeMismatch, "uncompressed_size_mismatch"},
		{"not lz4", LZ4, []byte("\x0fnonsense"), 5, true, DecompressError, "decompress_error"},
		{"not zlib", Zlib, []byte("nonsense"), 5, true, DecompressError, "decompress_error"},
		{"not zstd", Zstd, []byte("nonsense"), 5, true, DecompressError, "decompress_error"},
		{"not snappy", Snappy, []byte("\x05\x01"), 5, true, DecompressError, "decompress_error"},
	} {
		var d Decompressor
		_, err := d.Decompress(v.codec, v.src, v.size, v.present)
		var e *Error
		if !errors.As(err, &e) || e.Code != v.want || e.State() != v.state {
			t.Errorf("%s: %v", v.name, err)
		}
	}
}

func TestTrailingBytes(t *testing.T) {
	plain := []byte("hello hello hello hello")
	var d Decompressor
	for _, w := range writers {
		if w.variant == VariantZlibUnterminated || w.variant == VariantSnappyFraming {
			continue // what follows is read as more of the same
		}
		_, err := d.Decompress(w.codec, append(w.write(plain), 0, 1, 2), uint32(len(plain)), true)
		if code(err) != DecompressError {
			t.Errorf("%s: %v", w.name, err)
		}
	}
	two := append(compressZstd(plain), compressZstd(plain)...)
	if _, err := d.Decompress(Zstd, two, uint32(2*len(plain)), true); code(err) != DecompressError {
		t.Errorf("two zstd frames: %v", err)
	}
}

func TestMaxSize(t *testing.T) {
	d := Decompressor{MaxSize: 4}
	if _, err := d.Decompress(LZ4, compressLZ4([]byte("hello")), 5, true); code(err) != UncompressedSizeAbsurd {
		t.Errorf("above the limit: %v", err)
	}
	d.MaxSize = 5
	if r := must(t, &d, LZ4, compressLZ4([]byte("hello")), 5); string(r.Plain) != "hello" {
		t.Errorf("at the limit: %q", r.Plain)
	}
}

func TestNoAllocation(t *testing.T) {
	plain := bytes.Repeat([]byte("some text, "), 1000)
	for _, w := range writers {
		if w.codec == LZ4 && w.variant != "" {
			continue // the rare forms take buffers from a pool, or fail as a block first
		}
		var d Decompressor
		src := w.write(plain)
		must(t, &d, w.codec, src, len(plain))
		if n := testing.AllocsPerRun(50, func() { must(t, &d, w.codec, src, len(plain)) }); n != 0 {
			t.Errorf("%s: %v allocations per payload", w.name, n)
		}
	}
}

// TestZlibAfterAnother: a damaged stream is judged alike by a new decoder and
// by one that holds the tables of an earlier payload.
func TestZlibAfterAnother(t *testing.T) {
	damaged := []byte("x\x9c$\x00\x00\x00d") // no code lengths at all
	var d Decompressor
	for range 2 {
		if _, err := d.Decompress(Zlib, damaged, 3, true); code(err) != DecompressError {
			t.Errorf("got %v", err)
		}
		plain := events(50_000)
		must(t, &d, Zlib, writers[4].write(plain), len(plain))
	}
}
