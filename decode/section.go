package decode

import (
	"hash/crc32"

	"pulsar-dissect/decode/wire"
)

// The magic numbers of a payload frame, big-endian (protocol, section Frames).
const (
	magicBrokerEntry = 0x0e02
	magicChecksum    = 0x0e01
	sizeMagic        = 2
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Section is what follows the command of a payload frame, cut into its parts,
// in the order in which they lie there.
type Section struct {
	BrokerEntry    []byte // behind its magic number and size
	HasBrokerEntry bool
	HasChecksum    bool
	Checksum       uint32
	Covered        []byte // what the checksum covers: metadata size, metadata, payload
	Metadata       []byte
	HasMetadata    bool
	Payload        []byte
}

// CutSection finds the parts, borrowed from b. The fault names the part that is
// not whole; the parts before it are there.
func CutSection(b []byte) (s Section, fault string) {
	if magic(b) == magicBrokerEntry {
		if len(b) < sizeMagic+sizeField {
			return s, "broker_entry_metadata_cut"
		}
		n := bigEndian(b[sizeMagic:])
		b = b[sizeMagic+sizeField:]
		if n > int64(len(b)) {
			return s, "broker_entry_metadata_cut"
		}
		s.BrokerEntry, s.HasBrokerEntry, b = b[:n], true, b[n:]
	}
	if magic(b) == magicChecksum {
		if len(b) < sizeMagic+sizeField {
			return s, "checksum_cut"
		}
		s.Checksum, s.HasChecksum, b = uint32(bigEndian(b[sizeMagic:])), true, b[sizeMagic+sizeField:]
	}
	s.Covered = b
	if len(b) < sizeField {
		return s, "metadata_size_cut"
	}
	n := bigEndian(b)
	b = b[sizeField:]
	if n > int64(len(b)) {
		return s, "metadata_cut"
	}
	s.Metadata, s.HasMetadata, s.Payload = b[:n], true, b[n:]
	return s, ""
}

func magic(b []byte) uint16 {
	if len(b) < sizeMagic {
		return 0
	}
	return uint16(b[0])<<8 | uint16(b[1])
}

// Sum is the CRC32-C (Castagnoli) of the covered bytes.
func (s *Section) Sum() uint32 { return crc32.Checksum(s.Covered, castagnoli) }

// parseRest reads what follows the command.
func (f *Frame) parseRest(rest []byte) {
	if f.Command == nil || !f.Command.Payload {
		if len(rest) > 0 || f.Incomplete && f.Size > f.Have {
			f.Issues = append(f.Issues, "bytes_after_command")
		}
		return
	}
	if len(rest) == 0 && !f.Incomplete {
		f.fault("no_payload_section")
		return
	}
	f.readSection(rest)
}

// readSection reads what follows the command of a payload frame, and what
// bookies store of it.
func (f *Frame) readSection(b []byte) {
	s, fault := CutSection(b)
	if s.HasBrokerEntry {
		f.HasBrokerEntry = f.walk(&f.BrokerEntry, wire.BrokerEntryMetadata, s.BrokerEntry, "broker_entry_metadata_bad")
	}
	if !f.Incomplete {
		f.verify(&s)
	}
	if s.HasMetadata {
		f.HasMetadata = f.walk(&f.Metadata, wire.MessageMetadata, s.Metadata, "metadata_bad")
	}
	switch {
	case f.Incomplete:
	case fault != "":
		f.fault(fault)
	case f.PayloadFault == "":
		f.Payload = s.Payload
	}
}

func (f *Frame) fault(code string) {
	f.PayloadFault = code
	f.Issues = append(f.Issues, code)
}

// walk parses one of the messages behind the command.
func (f *Frame) walk(w *wire.Walk, t *wire.Table, b []byte, bad string) bool {
	if err := w.Parse(t, b); err != nil {
		if !f.Incomplete {
			f.fault(bad)
		}
		return false
	}
	return true
}

// verify checks the frame's CRC32-C.
func (f *Frame) verify(s *Section) {
	f.Checksum = ChecksumAbsent
	if !s.HasChecksum {
		return
	}
	f.StoredChecksum, f.ComputedChecksum = s.Checksum, s.Sum()
	f.Checksum = ChecksumOK
	if f.StoredChecksum != f.ComputedChecksum {
		f.Checksum = ChecksumBad
	}
}
