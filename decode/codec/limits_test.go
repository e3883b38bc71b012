package codec

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"slices"
	"testing"
)

// TestBombs feeds each form with 16 MiB of zeros said to be 1,000 bytes: what
// is kept afterwards must be no more than what is reserved for any payload.
func TestBombs(t *testing.T) {
	plain := make([]byte, 2*eagerSize)
	for _, w := range writers {
		src := w.write(plain)
		var d Decompressor
		_, err := d.Decompress(w.codec, src, 1000, true)
		if err == nil {
			t.Errorf("%s: no error", w.name)
		}
		if cap(d.plain) > eagerSize {
			t.Errorf("%s: %d bytes kept", w.name, cap(d.plain))
		}
	}
}

// TestMereStatement: payloads of a few bytes that claim 200 MiB, in the
// metadata and in their own headers, get no memory for it.
func TestMereStatement(t *testing.T) {
	const claim = 200 << 20
	length := binary.AppendUvarint(nil, claim)
	zstdHeader := binary.LittleEndian.AppendUint32([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0}, claim)
	for _, v := range []struct {
		name  string
		codec Codec
		src   []byte
	}{
		{"lz4", LZ4, compressLZ4([]byte("hello"))},
		{"lz4 frame", LZ4, compressLZ4Frame([]byte("hello"))},
		{"zlib", Zlib, []byte("\x78\x9c\xca\x48\xcd\xc9\xc9\x07\x00\x00\x00\xff\xff")},
		{"snappy", Snappy, append(length, 0x10, 'h', 'e', 'l', 'l', 'o')},
		{"snappy framing", Snappy, compressSnappyFramed([]byte("hello"))},
		{"zstd, a raw block", Zstd, append(zstdHeader, 0x29, 0, 0, 'h', 'e', 'l', 'l', 'o')},
		{"zstd, a block of one repeated byte", Zstd, append(slices.Clone(zstdHeader), 0x03, 0, 0x10, 'h')},
		{"zstd, no content size", Zstd, compressZstdStream([]byte("hello"))},
	} {
		var d Decompressor
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := d.Decompress(v.codec, v.src, claim, true)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: no error", v.name)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 4*eagerSize {
			t.Errorf("%s: %d bytes allocated", v.name, n)
		}
	}
}

// TestZstdWindow: a window of 2 GiB is taken, and costs nothing; a larger one
// is not.
func TestZstdWindow(t *testing.T) {
	frame := func(window byte) []byte {
		return []byte{0x28, 0xb5, 0x2f, 0xfd, 0, window, 0x29, 0, 0, 'h', 'e', 'l', 'l', 'o'}
	}
	var d Decompressor
	if r := must(t, &d, Zstd, frame((31-10)<<3), 5); string(r.Plain) != "hello" || cap(d.plain) > eagerSize {
		t.Errorf("2 GiB: %q, %d bytes kept", r.Plain, cap(d.plain))
	}
	if _, err := d.Decompress(Zstd, frame((31-10)<<3|1), 5, true); code(err) != DecompressError {
		t.Errorf("more than 2 GiB: %v", err)
	}
}

// TestLZ4LastToken: LZ4's own library does not look at the match length in the
// token of the last sequence, and takes a block that ends with a match.
func TestLZ4LastToken(t *testing.T) {
	for src, want := range map[string]string{
		"\x5fhello":             "hello",
		"\x12a\x01\x00\x20bc":   "aaaaaaabc",
		"\x12a\x01\x00\x2fbc":   "aaaaaaabc",
		"\x32abc\x03\x00":       "abcabcabc",
		"\x1fa\x01\x00\x00\x0f": "aaaaaaaaaaaaaaaaaaaa",
	} {
		var d Decompressor
		if r := must(t, &d, LZ4, []byte(src), len(want)); string(r.Plain) != want {
			t.Errorf("%x: got %q, want %q", src, r.Plain, want)
		}
	}
}

// TestSnappyElements: each kind of element, read by the check and by the
// decoder alike.
func TestSnappyElements(t *testing.T) {
	long := bytes.Repeat([]byte{'x'}, 300)
	for _, v := range []struct {
		elements, want string
	}{
		{"\x04ab", "ab"},
		{"\x04ab\x01\x02", "ababab"},
		{"\x04ab\x0e\x02\x00", "ababab"},
		{"\x04ab\x0f\x02\x00\x00\x00", "ababab"},
		{"\xf0\x01ab", "ab"},
		{"\xf4\x2b\x01" + string(long), string(long)},
		{"\xfc\x01\x00\x00\x00ab", "ab"},
	} {
		src := append(binary.AppendUvarint(nil, uint64(len(v.want))), v.elements...)
		if err := checkSnappy(src, len(v.want)); err != nil {
			t.Errorf("%x: %v", v.elements, err)
		}
		var d Decompressor
		if r := must(t, &d, Snappy, src, len(v.want)); string(r.Plain) != v.want {
			t.Errorf("%x: got %q", v.elements, r.Plain)
		}
	}
}
