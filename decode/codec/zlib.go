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
func (d *Decompressor) zlib(src []byte, size int) (Result, error) {
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
