package codec

import (
	"bytes"
	"io"
	"slices"
	"strconv"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Codec is a CompressionType of PulsarApi.proto.
type Codec int32

// The codecs, numbered as in CompressionType.
const (
	None Codec = iota
	LZ4
	Zlib
	Zstd
	Snappy
)

// names and decoders have one row per codec, at its number.
var (
	names = [...]string{None: "NONE", LZ4: "LZ4", Zlib: "ZLIB", Zstd: "ZSTD", Snappy: "SNAPPY"}

	decoders = [...]func(d *Decompressor, src []byte, size int) (Result, error){
		LZ4:    (*Decompressor).lz4,
		Zlib:   (*Decompressor).zlib,
		Zstd:   (*Decompressor).zstd,
		Snappy: (*Decompressor).snappy,
	}
)

func (c Codec) known() bool { return c >= 0 && int(c) < len(names) }

// String is the name in CompressionType, or the number where it has none.
func (c Codec) String() string {
	if !c.known() {
		return strconv.Itoa(int(c))
	}
	return names[c]
}

const (
	// DefaultMaxSize is the limit on uncompressed_size in bytes where
	// Decompressor.MaxSize is 0: fifty times what a broker takes by default.
	DefaultMaxSize = 256 << 20

	// eagerSize in bytes is reserved without asking for proof. It is above the
	// 5 MiB that a message may have by default.
	eagerSize = 8 << 20

	// slack in bytes may come out beyond uncompressed_size, to tell a payload
	// that is a little longer from one that never ends.
	slack = 64
)

// Variants: forms of a payload that Pulsar's own clients do not write.
const (
	// VariantLZ4Frame is an LZ4 frame in place of the raw block.
	VariantLZ4Frame = "lz4_frame"
	// VariantLZ4LengthPrefix is a raw block after its plain length (4 bytes,
	// either byte order).
	VariantLZ4LengthPrefix = "lz4_length_prefix"
	// VariantSnappyFraming is Snappy's framing format in place of the raw
	// block (the Rust client writes it).
	VariantSnappyFraming = "snappy_framing"
	// VariantZlibUnterminated is a zlib stream that was flushed and not
	// finished: no last block, no Adler-32 (the Java and Go clients leave it).
	VariantZlibUnterminated = "zlib_unterminated"
)

// Result is a decompressed payload.
type Result struct {
	Plain   []byte // valid until the next call of Decompress
	Variant string // empty, or one of the variants
}

// Decompressor holds the state of all codecs, so that nothing is allocated per
// payload. The zero value is ready. It is not safe for concurrent use.
type Decompressor struct {
	// MaxSize limits uncompressed_size, in bytes; 0 is DefaultMaxSize. It also
	// bounds the memory kept from one call to the next.
	MaxSize int

	plain  []byte // the output, reused
	input  bytes.Reader
	frames *lz4.Reader
	stream zlibReader
	zstds  *zstd.Decoder
	framed *s2.Reader
}

// Decompress gives the plain bytes of src. uncompressedSize is the field
// uncompressed_size of the metadata in bytes, present whether the field was
// there. An error is an *Error. Codec NONE gives src back, whatever the size.
func (d *Decompressor) Decompress(c Codec, src []byte, uncompressedSize uint32, present bool) (Result, error) {
	if c == None {
		return Result{Plain: src}, nil
	}
	if err := d.admit(c, uncompressedSize, present); err != nil {
		return Result{}, err
	}
	size := int(uncompressedSize)
	r, err := decoders[c](d, src, size)
	if err != nil {
		return Result{}, err
	}
	if len(r.Plain) != size {
		return Result{}, mismatch(size, len(r.Plain))
	}
	return r, nil
}

// admit refuses what need not be looked at.
func (d *Decompressor) admit(c Codec, size uint32, present bool) error {
	limit := d.MaxSize
	if limit == 0 {
		limit = DefaultMaxSize
	}
	switch {
	case !c.known():
		return errorf(UnknownCodec, "compression type %d", int32(c))
	case !present:
		return errorf(NoUncompressedSize, "%s without uncompressed_size", c)
	case uint64(size) > uint64(limit):
		return errorf(UncompressedSizeAbsurd, "%d bytes, the limit is %d", size, limit)
	}
	return nil
}

// room gives the output buffer with n bytes; what it holds stays.
func (d *Decompressor) room(n int) []byte {
	if n > cap(d.plain) {
		d.plain = slices.Grow(d.plain[:cap(d.plain)], n-cap(d.plain))
	}
	return d.plain[:n]
}

// unproven tells whether size bytes are more than is reserved on a mere
// statement.
func (d *Decompressor) unproven(size int) bool {
	return size > max(cap(d.plain), eagerSize)
}

// read collects r until its end, an error or limit bytes. The buffer doubles
// as the bytes come. The error is r's own, nil where the limit stopped it.
func (d *Decompressor) read(r io.Reader, limit int) ([]byte, error) {
	out := d.room(min(limit, max(cap(d.plain), eagerSize)))
	n := 0
	for {
		k, err := r.Read(out[n:])
		n += k
		switch {
		case err != nil:
			return out[:n], err
		case n == limit:
			return out[:n], nil
		case n == len(out):
			out = d.room(min(limit, 2*n))
		}
	}
}
