package codec

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/pierrec/lz4/v4"
)

// lz4Magic opens an LZ4 frame (LZ4 Frame Format, "Magic Number").
var lz4Magic = []byte{0x04, 0x22, 0x4d, 0x18}

// lz4 decodes the raw block, or else one of the forms that some writers leave
// in its place. A frame is never a block: its magic would be a match that
// reaches before the start.
func (d *Decompressor) lz4(src []byte, size int) (Result, error) {
	if bytes.HasPrefix(src, lz4Magic) {
		return d.lz4Frame(src, size)
	}
	plain, err := d.lz4Block(src, size)
	if err == nil {
		return Result{Plain: plain}, nil
	}
	if statesLength(src, size) {
		if plain, errAfter := d.lz4Block(src[4:], size); errAfter == nil {
			return Result{Plain: plain, Variant: VariantLZ4LengthPrefix}, nil
		}
	}
	return Result{}, err
}

// statesLength tells whether src opens with its plain length.
func statesLength(src []byte, size int) bool {
	return len(src) > 4 && (binary.LittleEndian.Uint32(src) == uint32(size) || binary.BigEndian.Uint32(src) == uint32(size))
}

// lz4Block decodes a raw block of exactly size bytes.
func (d *Decompressor) lz4Block(src []byte, size int) ([]byte, error) {
	if d.unproven(size) {
		if err := checkLZ4(src, size); err != nil {
			return nil, err
		}
	}
	out := d.room(size)
	if size > 0 { // the assembly of the library writes through a nil output
		if n, err := lz4.UncompressBlock(src, out); err == nil && n == size {
			return out, nil
		}
	}
	if err := checkLZ4(src, size); err != nil {
		return nil, err
	}
	return expandLZ4(out, src), nil
}

// lz4Frame decodes an LZ4 frame.
func (d *Decompressor) lz4Frame(src []byte, size int) (Result, error) {
	d.input.Reset(src)
	if d.frames == nil {
		d.frames = lz4.NewReader(&d.input)
	} else {
		d.frames.Reset(&d.input)
	}
	plain, err := d.read(d.frames, size+slack)
	switch {
	case err == nil:
		return Result{}, beyond(size)
	case err != io.EOF:
		return Result{}, corrupt(LZ4, "frame: %v", err)
	}
	return Result{Plain: plain, Variant: VariantLZ4Frame}, nil
}
