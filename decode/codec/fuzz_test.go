package codec

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/s2"
	"pulsar-dissect/internal/testkit"
)

// FuzzDecompress: no input may panic, give another size than asked for, or
// cost more memory than it earns; and the checks of blocks must agree with the
// decoders.
func FuzzDecompress(f *testing.F) {
	for file, c := range map[string]Codec{"go-hello.lz4": LZ4, "java-lorem.lz4blk": LZ4, "java-lorem.zlib": Zlib,
		"cpp-zlib-10zeros.bin": Zlib, "go-hello.zstd": Zstd, "fs-Hello.snappy": Snappy} {
		f.Add(int32(c), testkit.Testdata(f, "vectors", file), uint32(5))
	}
	for _, w := range writers {
		f.Add(int32(w.codec), w.write([]byte("hello hello hello")), uint32(17))
	}
	var reused Decompressor
	f.Fuzz(func(t *testing.T, c int32, src []byte, size uint32) {
		size %= 1 << 20
		fresh := Decompressor{}
		r, err := fresh.Decompress(Codec(c), src, size, true)
		again, errAgain := reused.Decompress(Codec(c), src, size, true)
		unfinished := again.Variant == VariantZlibUnterminated // may rest on tables of an earlier stream
		if !unfinished && (code(err) != code(errAgain) || !bytes.Equal(r.Plain, again.Plain)) {
			t.Fatalf("fresh: %v, reused: %v", err, errAgain)
		}
		if err == nil && Codec(c) != None && len(r.Plain) != int(size) {
			t.Fatalf("%d bytes, asked for %d", len(r.Plain), size)
		}
		if err != nil && code(err) == "" {
			t.Fatalf("an error without a code: %v", err)
		}
		if cap(fresh.plain) > eagerSize {
			t.Fatalf("%d bytes kept", cap(fresh.plain))
		}
	})
}

// FuzzBlockChecks: what a check calls sound the decoder decodes to that size.
func FuzzBlockChecks(f *testing.F) {
	f.Add([]byte("\x12a\x01\x00\x20bc"))
	f.Add([]byte("\x06\x04ab\x0e\x02\x00"))
	f.Fuzz(func(t *testing.T, src []byte) {
		w := lz4Walk{src: src}
		for w.next() && w.out <= 1<<20 {
		}
		if w.err == nil && w.out <= 1<<20 && len(src) > 0 {
			if n := len(expandLZ4(nil, src)); n != w.out {
				t.Fatalf("LZ4: counted %d, decoded %d", w.out, n)
			}
		}
		if n, err := s2.DecodedLen(src); err == nil && n <= 1<<20 && checkSnappy(src, n) == nil {
			if _, err := s2.Decode(nil, src); err != nil {
				t.Fatalf("snappy: sound and not decoded: %v", err)
			}
		}
	})
}
