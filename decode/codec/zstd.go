package codec

import (
	"errors"

	"github.com/klauspost/compress/zstd"
)

const (
	// zstdWindow in bytes is the largest window taken, that of the reference
	// library. It costs nothing: matches are copied within the output.
	zstdWindow = 1 << 31

	// zstdBlock in bytes is the most that one block decodes to (RFC 8878,
	// Block_Maximum_Size).
	zstdBlock = 128 << 10

	// zstdSpare in bytes is the room beyond what is expected, for a block: the
	// decoder does not tell one that lacks room from one that is damaged.
	zstdSpare = zstdBlock + slack
)

// Block types (RFC 8878, Block_Type) whose content has another size than it
// decodes to.
const (
	zstdRepeated   = 1
	zstdCompressed = 2
)

// zstd decodes one Zstandard frame (RFC 8878) with or without content size.
func (d *Decompressor) zstd(src []byte, size int) (Result, error) {
	frame, err := scanZstd(src)
	if err != nil {
		return Result{}, err
	}
	if frame.length < len(src) {
		return Result{}, corrupt(Zstd, "%d bytes after the frame", len(src)-frame.length)
	}
	if err := d.openZstd(); err != nil {
		return Result{}, err
	}
	return d.decodeZstd(src, size, min(size, frame.most)+zstdSpare)
}

func (d *Decompressor) openZstd() (err error) {
	if d.zstds == nil {
		d.zstds, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow),
			zstd.WithDecodeAllCapLimit(true))
	}
	return err
}

// decodeZstd decodes into the buffer and, where that is too small, again into
// one of four times the size, up to limit bytes.
func (d *Decompressor) decodeZstd(src []byte, size, limit int) (Result, error) {
	for n := min(limit, max(cap(d.plain), eagerSize)); ; n = min(limit, 4*n) {
		plain, err := d.zstds.DecodeAll(src, d.room(n)[:0:n])
		exceeded := errors.Is(err, zstd.ErrDecoderSizeExceeded)
		switch {
		case err == nil:
			return Result{Plain: plain}, nil
		case n < limit && (exceeded || len(plain)+zstdSpare > n):
			continue
		case exceeded || len(plain) > size:
			return Result{}, beyond(size)
		}
		return Result{}, corrupt(Zstd, "%v", err)
	}
}

// zstdFrame is what the headers of a frame tell without decoding it.
type zstdFrame struct {
	length int // bytes of the frame
	most   int // plain bytes that its blocks can hold at most
}

// scanZstd goes over the headers of the frame at the start of src.
func scanZstd(src []byte) (zstdFrame, error) {
	var h zstd.Header
	if err := h.Decode(src); err != nil {
		return zstdFrame{}, corrupt(Zstd, "frame header: %v", err)
	}
	if h.Skippable {
		return zstdFrame{}, corrupt(Zstd, "a skippable frame in place of data")
	}
	f := zstdFrame{length: h.HeaderSize}
	for f.addBlock(src) {
	}
	if h.HasCheckSum {
		f.length += 4
	}
	switch {
	case f.length > len(src):
		return f, corrupt(Zstd, "the frame does not end")
	case h.HasFCS && h.FrameContentSize > uint64(f.most):
		return f, corrupt(Zstd, "the frame states %d bytes, its blocks hold %d at most", h.FrameContentSize, f.most)
	}
	return f, nil
}

// addBlock takes in the block header at the end of what was scanned (3 bytes,
// little-endian: last block, type, size) and tells whether a block follows.
func (f *zstdFrame) addBlock(src []byte) bool {
	if f.length+3 > len(src) {
		f.length = len(src) + 1
		return false
	}
	b := src[f.length:]
	header := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
	size, plain := header>>3, min(header>>3, zstdBlock)
	switch header >> 1 & 3 {
	case zstdRepeated:
		size = 1
	case zstdCompressed:
		plain = zstdBlock
	}
	f.length += 3 + size
	f.most += plain
	return header&1 == 0
}
