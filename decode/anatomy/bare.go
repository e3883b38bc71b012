package anatomy

import (
	"encoding/binary"
	"strconv"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
)

// The magic numbers ahead of metadata, big-endian (protocol, section Frames).
const (
	magicBrokerEntry = 0x0e02
	magicChecksum    = 0x0e01
)

// nextFrame gives the bytes of the frame at the start of data, cut where it is
// not whole; nil where none can begin there.
func nextFrame(data []byte) []byte {
	if len(data) < 2*sizeField {
		return nil
	}
	size := sizeField + int64(binary.BigEndian.Uint32(data))
	return data[:min(size, int64(len(data)))]
}

func fitFrames(data []byte) fitness {
	if len(data) == 0 {
		return unfit
	}
	var f decode.Frame
	for n := 0; len(data) > 0; n++ {
		one := nextFrame(data)
		sound, ok := decode.ReadFrame(&f, one)
		switch {
		case ok && sound && f.Command != nil && !f.Incomplete:
		case n > 0 || ok && sound && f.Incomplete && f.Command != nil:
			return partly
		default:
			return unfit
		}
		data = data[len(one):]
	}
	return fits
}

// frames reads one frame behind the other.
func (b *builder) frames(data []byte) {
	c := &cursor{b, 0, 0, &b.anatomy.Parts}
	for c.at < len(data) && !b.full() {
		var f decode.Frame
		one := nextFrame(data[c.at:])
		if _, ok := decode.ReadFrame(&f, one); !ok {
			c.take("no frame", len(data)-c.at).Faults = []string{"no frame begins here"}
			return
		}
		if c.at == 0 && len(one) == len(data) {
			b.anatomy.Faults = b.frame(c, &f)
			return
		}
		p := c.take("frame "+strconv.Itoa(len(b.anatomy.Parts)), len(one))
		p.Meaning = f.TypeName()
		p.Faults = b.frame(&cursor{b, 0, p.Start, &p.Parts}, &f)
	}
}

// fitEntry asks for one of the magic numbers: metadata without a checksum ahead
// could be anything.
func fitEntry(data []byte) fitness {
	if len(data) < sizeMagic {
		return unfit
	}
	if m := binary.BigEndian.Uint16(data); m != magicChecksum && m != magicBrokerEntry {
		return unfit
	}
	var w wire.Walk
	switch s, fault := decode.CutSection(data); {
	case fault != "", w.Parse(wire.MessageMetadata, s.Metadata) != nil:
		return partly
	}
	return fits
}

// storedEntry reads what follows the command of a payload frame.
func (b *builder) storedEntry(data []byte) {
	b.section(&cursor{b, 0, 0, &b.anatomy.Parts}, &decode.Frame{}, len(data))
}
