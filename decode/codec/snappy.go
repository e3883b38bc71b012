package codec

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/s2"
)

// snappyStream opens the framing format (Snappy framing format, "Stream
// identifier").
var snappyStream = []byte("\xff\x06\x00\x00sNaPpY")

// snappyChunk in bytes is the most that a chunk of the framing format holds.
const snappyChunk = 64 << 10

// snappy decodes the raw block, or the framing format where the stream
// identifier opens it. A block never begins so: its first copy would reach
// before the start.
func (d *Decompressor) snappy(src []byte, size int) (Result, error) {
	if bytes.HasPrefix(src, snappyStream) {
		return d.snappyFramed(src, size)
	}
	if s, err := s2.DecodedLen(src); err != nil || s != size || d.unproven(size) {
		if err := checkSnappy(src, size); err != nil {
			return Result{}, err
		}
	}
	plain, err := s2.Decode(d.room(size), src)
	if err != nil {
		return Result{}, corrupt(Snappy, "%v", err)
	}
	return Result{Plain: plain}, nil
}

func (d *Decompressor) snappyFramed(src []byte, size int) (Result, error) {
	d.input.Reset(src)
	if d.framed == nil {
		d.framed = s2.NewReader(&d.input, s2.ReaderMaxBlockSize(snappyChunk))
	} else {
		d.framed.Reset(&d.input)
	}
	plain, err := d.read(d.framed, size+slack)
	switch {
	case err == nil:
		return Result{}, beyond(size)
	case err != io.EOF:
		return Result{}, corrupt(Snappy, "framing format: %v", err)
	}
	return Result{Plain: plain, Variant: VariantSnappyFraming}, nil
}
