package scrub

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
)

// Sizes of the layout, in bytes (protocol, section Frames).
const (
	sizeField = 4
	sizeMagic = 2
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frame gives the bytes of a frame with what is replaced in them.
func (s *Streams) frame(f *decode.Frame) []byte {
	b := bytes.Clone(f.Bytes)
	at := 2 * sizeField
	end := at + int(min(int64(binary.BigEndian.Uint32(b[sizeField:])), int64(len(b)-at)))
	command := b[at:end]
	if len(f.Base.Data) != len(command) || f.Type < 0 {
		s.prefix(command, wire.BaseCommand)
	} else {
		s.walked(command, &f.Base)
	}
	if end == len(b) {
		return b
	}
	if f.Command == nil || !f.Command.Payload {
		mask(b[end:])
		return b
	}
	s.section(b[end:], f)
	return b
}

// section replaces what follows the command.
func (s *Streams) section(b []byte, f *decode.Frame) {
	before := bytes.Clone(b)
	cut, fault := decode.CutSection(b)
	if cut.HasBrokerEntry && f.HasBrokerEntry {
		s.walked(cut.BrokerEntry, &f.BrokerEntry)
	}
	switch {
	case !cut.HasMetadata:
		mask(cut.Covered)
	case !f.HasMetadata:
		mask(cut.Metadata)
		mask(cut.Payload)
	default:
		m := &wire.Walk{}
		whole := !f.Incomplete && fault == ""
		if m.Parse(wire.MessageMetadata, bytes.Clone(cut.Metadata)) == nil {
			s.payload(cut.Payload, m, whole)
		} else {
			mask(cut.Payload)
		}
		s.walked(cut.Metadata, &f.Metadata)
	}
	if cut.HasChecksum {
		s.checksum(b, before, len(cut.Covered))
	}
}

// checksum makes a right sum right again, and leaves a wrong one as wrong as it
// was.
func (s *Streams) checksum(b, before []byte, covered int) {
	at := len(b) - covered
	stored := binary.BigEndian.Uint32(before[at-sizeField:])
	was, is := crc32.Checksum(before[at:], castagnoli), crc32.Checksum(b[at:], castagnoli)
	binary.BigEndian.PutUint32(b[at-sizeField:], stored^was^is)
}

// mask overwrites bytes of which it is not known what they are.
func mask(b []byte) {
	for i := range b {
		b[i] = masked
	}
}

// masked makes no size that is believed, 2 GB, and no field of a message either: its
// wire type is 7, which does not exist. So what could not be read stays so.
const masked = 'w'
