package segment

import "encoding/binary"

const (
	ip4Header      = 20
	ip4Fragment    = 0x3fff // flag MF and the offset: 0 in a whole packet
	ip4MoreFlag    = 0x2000
	ip4OffsetMask  = 0x1fff
	fragmentOffset = 8 // bytes per unit of an offset
)

// ip4 reads an IPv4 header (RFC 791 section 3.1). A total length of 0 is left
// by segmentation offload: the packet goes to the end of what was on the wire.
func (p *Parser) ip4(ip []byte, missing int, body *payload, out *Segment) Reason {
	if len(ip) < ip4Header {
		return Short
	}
	size := int(ip[0]&0x0f) * 4
	length := int(binary.BigEndian.Uint16(ip[2:]))
	if length == 0 {
		length = len(ip) + missing
	}
	if size < ip4Header || length < size {
		return BadIP
	}
	if len(ip) < size {
		return Short
	}
	setMapped(&out.Source.Addr, ip[12:])
	setMapped(&out.Destination.Addr, ip[16:])
	body.protocol, body.data, body.length = ip[9], ip[size:min(length, len(ip))], length-size
	if f := binary.BigEndian.Uint16(ip[6:]); f&ip4Fragment != 0 {
		return p.fragment4(binary.BigEndian.Uint16(ip[4:]), f, body, out)
	}
	return OK
}

// setMapped makes an IPv4 address ::ffff:a.b.c.d (RFC 4291 section 2.5.5.2). Two
// whole words are written, as two are read for the checksum: reading over single
// bytes just written stalls a processor.
func setMapped(to *[16]byte, address []byte) {
	binary.BigEndian.PutUint64(to[:8], 0)
	binary.BigEndian.PutUint64(to[8:], 0xffff<<32|uint64(binary.BigEndian.Uint32(address)))
}

func (p *Parser) fragment4(id, field uint16, body *payload, out *Segment) Reason {
	key := fragmentKey{
		source: out.Source.Addr, destination: out.Destination.Addr, tag: out.Tag,
		id: uint32(id), protocol: body.protocol,
	}
	offset := int(field&ip4OffsetMask) * fragmentOffset
	return p.fragments.add(key, offset, field&ip4MoreFlag != 0, body)
}
