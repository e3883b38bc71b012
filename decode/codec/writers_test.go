package codec

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// writers make every form that is read.
var writers = []struct {
	name    string
	codec   Codec
	variant string
	write   func(plain []byte) []byte
}{
	{"LZ4 block", LZ4, "", compressLZ4},
	{"LZ4 frame", LZ4, VariantLZ4Frame, compressLZ4Frame},
	{"LZ4 length prefix", LZ4, VariantLZ4LengthPrefix, func(p []byte) []byte {
		return append(binary.LittleEndian.AppendUint32(nil, uint32(len(p))), compressLZ4(p)...)
	}},
	{"LZ4 big-endian length prefix", LZ4, VariantLZ4LengthPrefix, func(p []byte) []byte {
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(p))), compressLZ4(p)...)
	}},
	{"zlib finished", Zlib, "", func(p []byte) []byte { return compressZlib(p, (*zlib.Writer).Close) }},
	{"zlib flushed", Zlib, VariantZlibUnterminated, func(p []byte) []byte { return compressZlib(p, (*zlib.Writer).Flush) }},
	{"zstd with content size", Zstd, "", compressZstd},
	{"zstd without content size", Zstd, "", compressZstdStream},
	{"snappy block", Snappy, "", func(p []byte) []byte { return s2.EncodeSnappy(nil, p) }},
	{"snappy framing", Snappy, VariantSnappyFraming, compressSnappyFramed},
}

func compressLZ4(plain []byte) []byte {
	if len(plain) == 0 {
		return []byte{0}
	}
	out := make([]byte, lz4.CompressBlockBound(len(plain)))
	n, err := new(lz4.Compressor).CompressBlock(plain, out)
	return done(out[:n], err)
}

func compressLZ4Frame(plain []byte) []byte {
	var b bytes.Buffer
	return written(&b, lz4.NewWriter(&b), plain)
}

func compressZlib(plain []byte, end func(*zlib.Writer) error) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, err := w.Write(plain)
	done(nil, err)
	err = end(w)
	return done(b.Bytes(), err)
}

func compressZstd(plain []byte) []byte {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true))
	done(nil, err)
	return w.EncodeAll(plain, nil)
}

func compressZstdStream(plain []byte) []byte {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true))
	done(nil, err)
	if len(plain) > 1 { // a frame written in two steps has no content size
		_, err = w.Write(plain[:1])
		done(nil, err)
		done(nil, w.Flush())
		plain = plain[1:]
	}
	return written(&b, w, plain)
}

func compressSnappyFramed(plain []byte) []byte {
	var b bytes.Buffer
	w := s2.NewWriter(&b, s2.WriterSnappyCompat(), s2.WriterBlockSize(snappyChunk), s2.WriterConcurrency(1))
	out := written(&b, w, plain)
	if len(plain) == 0 {
		return snappyStream
	}
	return out
}

func written(b *bytes.Buffer, w io.WriteCloser, plain []byte) []byte {
	_, err := w.Write(plain)
	done(nil, err)
	err = w.Close()
	return done(b.Bytes(), err)
}

func done(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}
