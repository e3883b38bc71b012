package codec

import (
	"errors"
	"io"

	"github.com/klauspost/compress/zlib"
)

// zlibReader is what zlib.NewReader gives.
type zlibReader interface {
	io.Reader
	zlib.Resetter
}

// zlib decodes a zlib stream (RFC 1950). What counts is that uncompressed_size
// bytes come out: clients flush the stream and do not finish it, so that it
// ends after an empty stored block. A stream that is finished ends the payload.
//
// The library's decoder does not clear its tables before a stream that leaves
// one empty, so that damage could look different after another payload. What
// a used decoder does not read to the right size is therefore judged by a new
// one.
func (d *Decompressor) zlib(src []byte, size int) (Result, error) {
	used := d.stream != nil
	r, err := d.inflate(src, size)
	if used && (err != nil || len(r.Plain) != size) {
		d.stream = nil
		return d.inflate(src, size)
	}
	return r, err
}

func (d *Decompressor) inflate(src []byte, size int) (Result, error) {
	d.input.Reset(src)
	err := d.resetZlib()
	var plain []byte
	if err == nil {
		plain, err = d.read(d.stream, size+slack)
	}
	switch {
	case err == nil:
		return Result{}, beyond(size)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return Result{Plain: plain, Variant: VariantZlibUnterminated}, nil
	case err != io.EOF:
		return Result{}, corrupt(Zlib, "%v", err)
	case d.input.Len() > 0:
		return Result{}, corrupt(Zlib, "%d bytes after the stream", d.input.Len())
	}
	return Result{Plain: plain}, nil
}

func (d *Decompressor) resetZlib() error {
	if d.stream != nil {
		return d.stream.Reset(&d.input, nil)
	}
	r, err := zlib.NewReader(&d.input)
	if err == nil {
		d.stream = r.(zlibReader)
	}
	return err
}
