package capture

import (
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// codec is a row of the table of compressions. A file may hold several streams
// of one codec, one after another.
type codec struct {
	name  string
	magic []byte
	open  func(src *window) (io.ReadCloser, error)
	junk  func(error) bool // tells whether something else stands where another stream may begin
}

var codecs = []codec{
	{"gzip", []byte{0x1f, 0x8b}, openGzip, isError(gzip.ErrHeader)},
	{"zstd", []byte{0x28, 0xb5, 0x2f, 0xfd}, openZstd, isError(zstd.ErrMagicMismatch)},
	{"zstd", []byte{0x50, 0x2a, 0x4d, 0x18}, openZstd, isError(zstd.ErrMagicMismatch)}, // a skippable frame first, as pzstd has it
	{"lz4", []byte{0x04, 0x22, 0x4d, 0x18}, openLZ4, isError(lz4.ErrInvalidFrame)},
	{"xz", []byte{0xfd, '7', 'z', 'X', 'Z', 0}, openXZ, says("xz: invalid header magic bytes")},
	{"bzip2", []byte{'B', 'Z', 'h'}, openBzip2, isError(bzip2.StructuralError("bad magic value in continuation file"))},
}

func isError(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

// says is for an error that its package does not export.
func says(text string) func(error) bool {
	return func(err error) bool { return err.Error() == text }
}

// codecMagicSize is the length of the longest magic, in bytes.
const codecMagicSize = 6

func findCodec(start []byte) *codec {
	for i := range codecs {
		if bytes.HasPrefix(start, codecs[i].magic) {
			return &codecs[i]
		}
	}
	return nil
}

func openGzip(src *window) (io.ReadCloser, error) { return gzip.NewReader(src) }

func openZstd(src *window) (io.ReadCloser, error) {
	d, err := zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxZstdWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

func openLZ4(src *window) (io.ReadCloser, error) { return io.NopCloser(lz4.NewReader(src)), nil }

func openXZ(src *window) (io.ReadCloser, error) {
	r, err := xz.NewReader(src)
	return io.NopCloser(r), err
}

func openBzip2(src *window) (io.ReadCloser, error) { return io.NopCloser(bzip2.NewReader(src)), nil }

// unpackError says why a compressed stream gives no more.
type unpackError struct {
	codec string
	at    int64 // bytes of the compressed file that were taken by then
	cut   bool  // the file ends inside the stream
	junk  bool  // the stream ends before the file does
	err   error
}

func (e *unpackError) Error() string {
	switch {
	case e.cut:
		return fmt.Sprintf("the %s stream is cut off after %d bytes", e.codec, e.at)
	case e.junk:
		return fmt.Sprintf("what follows the %s stream, before compressed byte %d, is not %s and is left out", e.codec, e.at, e.codec)
	}
	return fmt.Sprintf("the %s stream is damaged before compressed byte %d: %v", e.codec, e.at, e.err)
}

func (e *unpackError) Unwrap() error { return e.err }

// harmless tells whether everything up to there is sound.
func (e *unpackError) harmless() bool { return e.cut || e.junk }

// unpacker reads what a compressed file holds.
type unpacker struct {
	codec *codec
	raw   *window
	data  io.ReadCloser
}

func (u *unpacker) open() (err error) {
	defer u.guard(&err)
	data, err := u.codec.open(u.raw)
	if err != nil {
		return u.explain(err)
	}
	u.data = data
	return nil
}

func (u *unpacker) Read(b []byte) (n int, err error) {
	defer u.guard(&err)
	n, err = u.data.Read(b)
	return n, u.explain(err)
}

func (u *unpacker) Close() error { return u.data.Close() }

// guard makes an error of a panic within a decompressor, which hostile input may
// bring about.
func (u *unpacker) guard(err *error) {
	if p := recover(); p != nil {
		*err = u.explain(fmt.Errorf("the decompressor fails: %v", p))
	}
}

func (u *unpacker) explain(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if failed := u.raw.failure(); failed != nil {
		return failed
	}
	return &unpackError{
		codec: u.codec.name, at: u.raw.offset, err: err,
		cut:  errors.Is(err, io.ErrUnexpectedEOF) && u.raw.start == u.raw.end,
		junk: u.data != nil && u.codec.junk(err),
	}
}
