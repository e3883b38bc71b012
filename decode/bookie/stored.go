package bookie

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// Digest is the kind of digest that a client puts ahead of an entry. The wire
// does not name it.
type Digest uint8

// The kinds. HMAC takes the ledger's password to verify.
const (
	UnknownDigest Digest = iota
	CRC32C               // Castagnoli, what brokers use by default
	CRC32                // IEEE
	HMAC                 // HMAC-SHA-1
	Dummy                // none
)

// String is the name that the JSON output uses.
func (d Digest) String() string {
	return [...]string{"unknown", "CRC32C", "CRC32", "HMAC", "DUMMY"}[d]
}

// digestSizes are in bytes.
var digestSizes = [...]int{CRC32C: 4, CRC32: 8, HMAC: 20, Dummy: 0}

// Verdict on a digest.
type Verdict uint8

// The verdicts. An entry that the capture cut has none.
const (
	NoVerdict Verdict = iota
	DigestOK
	DigestBad
	DigestAbsent     // there is none
	DigestUnverified // HMAC, or of unknown kind
)

// String is the name that the JSON output uses.
func (v Verdict) String() string { return [...]string{"", "ok", "bad", "absent", "unverified"}[v] }

// Stored is an entry as bookies store it: its ids, what the writer knew of the
// ledger, a digest over all of it, and the bytes of the client.
type Stored struct {
	Ledger, Entry    int64
	LastAddConfirmed int64 // -1: none
	Length           int64 // bytes of all entries of the ledger up to this one
	Digest           Digest
	Verdict          Verdict
	Body             []byte // what a broker stored; nil where the digest, and so its size, is not known
	Raw              []byte // all of it, as it was captured
	Cut              bool   // the capture does not have all of it
}

// sizeStored is what lies ahead of the digest: four numbers of 8 bytes.
const sizeStored = 4 * sizeID

// Numbers is the size of what lies ahead of the digest in Raw, in bytes.
const Numbers = sizeStored

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// stored reads an entry. usual is the kind of digest that the connection was
// seen to use, which it learns here. The fault names what is missing.
func stored(b []byte, cut, noSums bool, usual *Digest) (s Stored, fault string) {
	c := cursor{b: b}
	s.Raw = b
	s.Ledger, s.Entry, s.LastAddConfirmed, s.Length = c.int64(), c.int64(), c.int64(), c.int64()
	if s.Cut = cut; c.short {
		return s, "entry_cut"
	}
	s.Digest, s.Verdict = verify(b, cut || noSums, *usual)
	if s.Verdict == DigestOK || s.Digest == HMAC || s.Digest == Dummy {
		*usual = s.Digest
	}
	size := digestSizes[s.Digest]
	if len(c.b) < size {
		return s, "digest_cut"
	}
	if s.Digest != UnknownDigest {
		s.Body = c.b[size:]
	}
	return s, ""
}

// verify tells the kind of digest in a stored entry: by the sum that is right,
// else by where the entry of a broker begins, else by what was seen before.
func verify(b []byte, unsummed bool, usual Digest) (Digest, Verdict) {
	if !unsummed {
		for _, d := range []Digest{CRC32C, CRC32} {
			if right(b, d) {
				return d, DigestOK
			}
		}
	}
	d := usual
	for _, kind := range []Digest{CRC32C, CRC32, HMAC, Dummy} {
		if beginsEntry(b, sizeStored+digestSizes[kind]) {
			d = kind
			break
		}
	}
	switch {
	case unsummed:
		return d, NoVerdict
	case d == CRC32C || d == CRC32:
		return d, DigestBad
	case d == Dummy:
		return d, DigestAbsent
	}
	return d, DigestUnverified
}

// right says whether the sum of a kind is right: over the numbers and the
// entry. A CRC32 stands in 8 bytes, the upper half 0.
func right(b []byte, d Digest) bool {
	size := digestSizes[d]
	if len(b) < sizeStored+size {
		return false
	}
	table, value := castagnoli, uint64(binary.BigEndian.Uint32(b[sizeStored:]))
	if d == CRC32 {
		table, value = crc32.IEEETable, binary.BigEndian.Uint64(b[sizeStored:])
	}
	sum := crc32.Update(crc32.Checksum(b[:sizeStored], table), table, b[sizeStored+size:])
	return uint64(sum) == value
}

// entryMarks are the magic numbers that the entry of a message begins with:
// broker entry metadata, or checksum (protocol, section Frames).
var entryMarks = [][]byte{{0x0e, 0x02}, {0x0e, 0x01}}

func beginsEntry(b []byte, at int) bool {
	for _, mark := range entryMarks {
		if len(b) >= at && bytes.HasPrefix(b[at:], mark) {
			return true
		}
	}
	return false
}
