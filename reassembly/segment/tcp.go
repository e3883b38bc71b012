package segment

import "encoding/binary"

const tcpHeader = 20 // without options

// tcp reads a TCP header (RFC 9293 section 3.1). Options are skipped by the data
// offset. A header whose options the snap length cut still gives a segment.
func tcp(body *payload, out *Segment) Reason {
	if body.length < tcpHeader {
		return BadTCP
	}
	h := body.data
	if len(h) < tcpHeader {
		return Short
	}
	size := int(h[12]>>4) * 4
	if size < tcpHeader || size > body.length {
		return BadTCP
	}
	out.Source.Port = binary.BigEndian.Uint16(h)
	out.Destination.Port = binary.BigEndian.Uint16(h[2:])
	out.Sequence = binary.BigEndian.Uint32(h[4:])
	out.Acknowledgement = binary.BigEndian.Uint32(h[8:])
	out.Flags = h[13]
	out.Window = binary.BigEndian.Uint16(h[14:])
	out.Data = h[min(size, len(h)):]
	out.Length = body.length - size
	out.Checksum = verify(h, body.length, out)
	return OK
}
