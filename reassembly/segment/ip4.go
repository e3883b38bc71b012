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
func (p *Parser) ip4(ip []byte, missing int, out *Segment) (payload, Reason) {
	if len(ip) < ip4Header {
		return payload{}, Short
	}
	size := int(ip[0]&0x0f) * 4
	length := int(binary.BigEndian.Uint16(ip[2:]))
	if length == 0 {
		length = len(ip) + missing
	}
	if size < ip4Header || length < size {
		return payload{}, BadIP
	}
	if len(ip) < size {
		return payload{}, Short
	}
	out.Source.Addr = mapped(ip[12:16])
	out.Destination.Addr = mapped(ip[16:20])
	body := payload{protocol: ip[9], data: ip[size:min(length, len(ip))], length: length - size}
	if f := binary.BigEndian.Uint16(ip[6:]); f&ip4Fragment != 0 {
		return p.fragment4(uint32(binary.BigEndian.Uint16(ip[4:])), f, body, out)
	}
	return body, OK
}

// mapped is an IPv4 address as ::ffff:a.b.c.d (RFC 4291 section 2.5.5.2).
func mapped(a []byte) [16]byte {
	return [16]byte{10: 0xff, 11: 0xff, 12: a[0], 13: a[1], 14: a[2], 15: a[3]}
}

func (p *Parser) fragment4(id uint32, field uint16, body payload, out *Segment) (payload, Reason) {
	key := fragmentKey{
		source: out.Source.Addr, destination: out.Destination.Addr, tag: out.Tag,
		id: id, protocol: body.protocol,
	}
	offset := int(field&ip4OffsetMask) * fragmentOffset
	return p.fragments.add(key, offset, field&ip4MoreFlag != 0, body)
}
