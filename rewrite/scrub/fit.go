package scrub

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"math/rand/v2"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"pulsar-dissect/decode/codec"
)

// press compresses, and says by how many bytes its result can be lengthened.
type press struct {
	codec    codec.Codec
	variant  string
	compress func(plain []byte) []byte
	lengthen func(b []byte, by int, plain []byte) []byte // nil where it cannot
}

var presses = []press{
	{codec.LZ4, "", lz4Block, lengthenLZ4},
	{codec.LZ4, codec.VariantLZ4Frame, lz4Frame, lengthenLZ4Frame},
	{codec.LZ4, codec.VariantLZ4LengthPrefix, lz4Prefixed, exact},
	{codec.Zlib, "", zlibWhole, lengthenZlib},
	{codec.Zlib, codec.VariantZlibUnterminated, zlibOpen, lengthenZlib},
	{codec.Zstd, "", zstdFrame, lengthenZstd},
	{codec.Zstd, "", zstdSummed, lengthenZstd},
	{codec.Snappy, "", snappyBlock, lengthenSnappy},
	{codec.Snappy, codec.VariantSnappyFraming, snappyFrames, lengthenSnappyFrames},
}

// How many contents are tried: fewer of large entries, which take longer and
// miss less.
const (
	mostTries  = 3000
	leastTries = 60
	triedBytes = 4 << 20
)

// fit overwrites b with plain, compressed, whose bodies it fills: with so much
// that cannot be compressed that the result is as long as b. It depends on b and
// on nothing else that may differ.
func (s *Streams) fit(b []byte, c codec.Codec, variant string, plain []byte, bodies [][]byte) bool {
	for i := range presses {
		if p := &presses[i]; p.codec == c && p.variant == variant && s.fitWith(b, p, plain, bodies) {
			return true
		}
	}
	return false
}

func (s *Streams) fitWith(b []byte, p *press, plain []byte, bodies [][]byte) bool {
	room := 0
	for _, body := range bodies {
		room += len(body)
	}
	random := make([]byte, room)
	r := s.names.source("entry", b, 0)
	made := func(mixed int) []byte {
		fillBodies(bodies, random, mixed)
		return p.compress(plain)
	}
	for i := range random {
		random[i] = byte(r.IntN(256))
	}
	best := largest(room, len(b), made)
	for i := range max(leastTries, min(mostTries, triedBytes/(len(plain)+1))) {
		if out := made(around(best, room, i, r, random)); len(out) <= len(b) {
			if out = p.lengthen(out, len(b)-len(out), plain); out != nil {
				copy(b, out)
				return true
			}
		}
	}
	return false
}

// around gives how much of the next content to be tried cannot be compressed: as
// much as fits best at first, then about as much, of other bytes.
func around(best, room, try int, r *rand.Rand, random []byte) int {
	if try == 0 {
		return best
	}
	window := 8 + room/32
	mixed := max(0, min(room, best-window+r.IntN(window+window/4)))
	for range 1 + mixed/16 {
		if mixed > 0 {
			random[r.IntN(mixed)] = byte(r.IntN(256))
		}
	}
	return mixed
}

// largest finds how many bytes can be such that are not compressed without the
// result becoming longer than size.
func largest(room, size int, made func(int) []byte) int {
	low, high := 0, room
	for low < high {
		middle := (low + high + 1) / 2
		if len(made(middle)) <= size {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// fillBodies fills bodies, one behind the other: the first bytes with random
// ones, the rest with one letter.
func fillBodies(bodies [][]byte, random []byte, mixed int) {
	at := 0
	for _, body := range bodies {
		n := copy(body, random[min(at, mixed):mixed])
		for i := n; i < len(body); i++ {
			body[i] = masked
		}
		at += len(body)
	}
}

func exact(b []byte, by int, _ []byte) []byte {
	if by != 0 {
		return nil
	}
	return b
}

func lz4Block(plain []byte) []byte {
	out := make([]byte, lz4.CompressBlockBound(len(plain)))
	n, err := lz4.CompressBlock(plain, out, nil)
	if err != nil || n == 0 {
		return lz4Literals(plain)
	}
	return out[:n]
}

// lz4Literals is a block without matches.
func lz4Literals(plain []byte) []byte {
	n := len(plain)
	if n < 15 {
		return append([]byte{byte(n << 4)}, plain...)
	}
	out := []byte{0xf0}
	for n -= 15; n >= 255; n -= 255 {
		out = append(out, 255)
	}
	return append(append(out, byte(n)), plain...)
}

func lz4Prefixed(plain []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(plain))), lz4Block(plain)...)
}

func lz4Frame(plain []byte) []byte {
	var b bytes.Buffer
	w := lz4.NewWriter(&b)
	return written(&b, w, plain, w.Close)
}

func zlibWhole(plain []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	return written(&b, w, plain, w.Close)
}

func zlibOpen(plain []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	return written(&b, w, plain, w.Flush)
}

func snappyFrames(plain []byte) []byte {
	var b bytes.Buffer
	w := s2.NewWriter(&b, s2.WriterSnappyCompat(), s2.WriterConcurrency(1))
	return written(&b, w, plain, w.Close)
}

// written gives what a writer makes of plain; a buffer does not fail.
func written(b *bytes.Buffer, w interface{ Write([]byte) (int, error) }, plain []byte, end func() error) []byte {
	if _, err := w.Write(plain); err != nil || end() != nil {
		return nil
	}
	return b.Bytes()
}

// lengthenZlib puts empty stored blocks of 5 bytes behind the header (RFC 1951,
// section 3.2.4).
func lengthenZlib(b []byte, by int, _ []byte) []byte {
	const header = 2
	if by%5 != 0 || len(b) < header {
		return nil
	}
	empty := bytes.Repeat([]byte{0, 0, 0, 0xff, 0xff}, by/5)
	return append(append(bytes.Clone(b[:header]), empty...), b[header:]...)
}

// The encoders, without and with a sum of 4 bytes at the end. These options are
// sound.
var (
	zstdEncoder, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false))
	zstdSummer, _  = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true), zstd.WithEncoderCRC(true))
)

func zstdFrame(plain []byte) []byte  { return zstdEncoder.EncodeAll(plain, nil) }
func zstdSummed(plain []byte) []byte { return zstdSummer.EncodeAll(plain, nil) }

// lengthenZstd puts empty raw blocks of 3 bytes behind the header (RFC 8878,
// section 3.1.1.2).
func lengthenZstd(b []byte, by int, _ []byte) []byte {
	var h zstd.Header
	if by%3 != 0 || h.Decode(b) != nil {
		return nil
	}
	return append(append(bytes.Clone(b[:h.HeaderSize]), make([]byte, by)...), b[h.HeaderSize:]...)
}

func snappyBlock(plain []byte) []byte { return s2.EncodeSnappy(nil, plain) }

// lengthenSnappyFrames appends a chunk of padding (framing format, section 4.5).
func lengthenSnappyFrames(b []byte, by int, _ []byte) []byte {
	const header = 4
	switch {
	case by == 0:
		return b
	case by < header || by >= 1<<24:
		return nil
	}
	n := by - header
	return append(append(bytes.Clone(b), 0xfe, byte(n), byte(n>>8), byte(n>>16)), make([]byte, n)...)
}
