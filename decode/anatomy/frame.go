package anatomy

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
)

// Sizes of the layout, in bytes (protocol, section Frames).
const (
	sizeField = 4
	sizeMagic = 2
)

// OfFrame explains a frame, also one that the capture cut.
func OfFrame(f *decode.Frame, o *Options) *Anatomy {
	b := newBuilder(o, "frame", f.Bytes)
	b.anatomy.Faults = b.frame(&cursor{b, 0, 0, &b.anatomy.Parts}, f)
	return b.anatomy
}

// frame makes the parts of a frame whose first byte is at the cursor, and gives
// what is wrong with it as a whole.
func (b *builder) frame(c *cursor, f *decode.Frame) (faults []string) {
	end := c.at + len(f.Bytes)
	total := c.number("total size", "bytes that follow")
	if f.Incomplete {
		total.Faults = append(total.Faults, strconv.FormatInt(f.Size-f.Have, 10)+" bytes of the frame are not there")
	}
	b.command(c, f, end)
	switch {
	case c.at == end:
	case f.Command == nil || !f.Command.Payload:
		c.take("bytes after the command", end-c.at).Faults = []string{"the command has no payload"}
	default:
		b.section(c, f, end)
	}
	return append(faults, f.Issues...)
}

// command makes the parts of the command and of its size.
func (b *builder) command(c *cursor, f *decode.Frame, end int) {
	size := c.number("command size", "bytes of the command")
	n := int64(binary.BigEndian.Uint32(b.bytes(size)))
	if n > int64(end-c.at) {
		size.Faults = append(size.Faults, "more than there are")
		b.parsed(c.take("command", end-c.at), wire.BaseCommand)
		return
	}
	p := c.take("command", int(n))
	p.Meaning = f.TypeName()
	b.walked(p, &f.Base)
}

// number makes a part of a size of 4 bytes, big-endian.
func (c *cursor) number(name, meaning string) *Part {
	p := c.take(name, sizeField)
	p.Value = strconv.FormatUint(uint64(binary.BigEndian.Uint32(c.bytes(p))), 10)
	p.JSON, p.Meaning = p.Value, meaning
	return p
}

// section makes the parts of what follows the command, up to end.
func (b *builder) section(c *cursor, f *decode.Frame, end int) {
	s, fault := decode.CutSection(b.anatomy.Buffers[c.buffer].Bytes[c.at:end])
	if s.HasBrokerEntry {
		c.magic("magic number of broker entry metadata")
		c.number("broker entry metadata size", "bytes")
		b.parsed(c.take("broker entry metadata", len(s.BrokerEntry)), wire.BrokerEntryMetadata)
	}
	if s.HasChecksum {
		c.magic("magic number of the checksum")
		c.checksum(&s, f.Incomplete, end)
	}
	if !s.HasMetadata {
		c.take("cut", end-c.at).Faults = []string{fault}
		return
	}
	c.number("metadata size", "bytes")
	metadata := b.parsed(c.take("metadata", len(s.Metadata)), wire.MessageMetadata)
	payload := c.take("payload", len(s.Payload))
	payload.Meaning = strconv.Itoa(len(s.Payload)) + " bytes"
	if f.Incomplete {
		payload.Faults = append(payload.Faults, "not whole")
		return
	}
	b.entry(payload, metadata)
}

// magic makes a part of a magic number of 2 bytes.
func (c *cursor) magic(name string) {
	p := c.take(name, sizeMagic)
	p.Value = fmt.Sprintf("0x%04x", binary.BigEndian.Uint16(c.bytes(p)))
	p.JSON = strconv.Quote(p.Value)
}

// checksum makes the part of the CRC32-C, which covers all up to end.
func (c *cursor) checksum(s *decode.Section, cut bool, end int) {
	p := c.take("checksum", sizeField)
	p.Value = fmt.Sprintf("0x%08x", s.Checksum)
	p.JSON = strconv.Quote(p.Value)
	covers := fmt.Sprintf("CRC32-C of 0x%04x-0x%04x: metadata size, metadata, payload", c.at, max(c.at, end-1))
	switch computed := s.Sum(); {
	case cut:
		p.Meaning = covers + "; not all there"
	case computed == s.Checksum:
		p.Meaning = covers + "; right"
	default:
		p.Meaning = covers
		p.Faults = []string{fmt.Sprintf("wrong: the bytes give 0x%08x", computed)}
	}
}
