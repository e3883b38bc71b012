package scrub

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/bookie"
)

// bookie gives the bytes of a frame between a broker and a bookie with what is
// replaced in them.
func (s *Streams) bookie(f *decode.BookieFrame) []byte {
	r := s.bookies[f.Conn.ID]
	if r == nil {
		r = &bookie.Reader{}
		s.bookies[f.Conn.ID] = r
	}
	b := bytes.Clone(f.Bytes)
	p := r.Read(b[sizeField:], int(f.Size-sizeField)) // its parts are those of b
	s.names.random(p.MasterKey)
	switch whole := p.Fault == "" && !f.Incomplete; {
	case p.Header != nil && whole:
		s.walked(p.Header.Data, p.Header)
	case p.Header != nil:
		s.prefix(p.Header.Data, p.Header.Table)
	case p.Fields != nil && p.Rest == nil: // AUTH
		s.walked(p.Fields.Data, p.Fields)
	case p.Version != 2:
		mask(b[min(len(b), sizeField+bookieHeader):])
	default:
		mask(p.Rest)
	}
	for i := range p.Stored {
		copy(p.Stored[i].Raw, f.Stored[i].Raw)
		s.stored(&p.Stored[i], f, i)
	}
	return b
}

// bookieHeader is version, operation and flags of a frame, in bytes.
const bookieHeader = 4

// sums are the digests that take no password, by the polynomial.
var sums = map[bookie.Digest]*crc32.Table{bookie.CRC32C: castagnoli, bookie.CRC32: crc32.IEEETable}

// stored replaces an entry as bookies store it, and its digest: a right sum is
// right again, and a wrong one as wrong as it was. Others cannot be verified, and
// are overwritten.
func (s *Streams) stored(e *bookie.Stored, f *decode.BookieFrame, i int) {
	if e.Digest == bookie.UnknownDigest {
		mask(e.Raw[bookie.Numbers:])
		return
	}
	was := bytes.Clone(e.Body)
	if entry, ok := f.ReadStored(i); ok {
		s.section(e.Body, entry)
	} else {
		mask(e.Body)
	}
	digest := e.Raw[bookie.Numbers : len(e.Raw)-len(e.Body)]
	table, ok := sums[e.Digest]
	if !ok {
		s.names.random(digest)
		return
	}
	numbers := crc32.Checksum(e.Raw[:bookie.Numbers], table)
	at := digest[len(digest)-sizeField:]
	change := crc32.Update(numbers, table, was) ^ crc32.Update(numbers, table, e.Body)
	binary.BigEndian.PutUint32(at, binary.BigEndian.Uint32(at)^change)
}
