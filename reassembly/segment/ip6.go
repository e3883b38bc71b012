package segment

import "encoding/binary"

const ip6Header = 40

// IPv6 extension headers (IANA, IPv6 Extension Header Types). Encrypted ones (50)
// end the walk.
const (
	hopByHop           = 0
	routing            = 43
	fragmentHeader     = 44
	authentication     = 51
	destinationOptions = 60
	mobility           = 135
)

const (
	extensionUnit        = 8 // bytes per unit of a header's length, the first not counted
	extensionMin         = 8
	authenticationUnit   = 4 // RFC 4302 section 2.2, the first two not counted
	fragmentHeaderSize   = 8
	ip6OffsetMask        = 0xfff8 // bytes already: the field is 13 bits in units of 8
	ip6MoreFlag          = 1
	optionJumbo          = 0xc2 // RFC 2675 section 2
	optionHomeAddress    = 0xc9 // RFC 6275 section 6.3
	optionPad1           = 0
	segmentRoutingHeader = 4 // routing type, RFC 8754
)

// ip6 reads an IPv6 header and the extension headers after it (RFC 8200
// sections 3 and 4).
func (p *Parser) ip6(ip []byte, missing int, body *payload, out *Segment) Reason {
	if len(ip) < ip6Header {
		return Short
	}
	body.protocol, body.data, body.length = ip[6], ip[ip6Header:], int(binary.BigEndian.Uint16(ip[4:]))
	if body.length == 0 {
		if body.length = unstated(body, missing); body.length < 0 {
			return BadIP
		}
	}
	body.data = body.data[:min(body.length, len(body.data))]
	out.Source.Addr = [16]byte(ip[8:24])
	out.Destination.Addr = [16]byte(ip[24:40])
	return p.extensions(body, out)
}

// unstated is the length of a packet whose payload length is 0: that of its jumbo
// payload option (-1 if it cannot be), or, where segmentation offload left 0, all
// that was on the wire.
func unstated(body *payload, missing int) int {
	onWire := len(body.data) + missing
	if body.protocol != hopByHop || len(body.data) < extensionMin {
		return onWire
	}
	value := option(body.data, optionJumbo)
	if len(value) != 4 {
		return onWire
	}
	if length := int(binary.BigEndian.Uint32(value)); length <= onWire {
		return length
	}
	return -1
}

func (p *Parser) extensions(body *payload, out *Segment) Reason {
	var why Reason
	for {
		switch body.protocol {
		case fragmentHeader:
			why = p.fragment6(body, out)
		case hopByHop, routing, authentication, destinationOptions, mobility:
			why = extension(body, out)
		default:
			return OK
		}
		if why != OK {
			return why
		}
	}
}

// extension strips one extension header. Two of them name an address that
// stays the same along the way, and that the TCP checksum is made with.
func extension(body *payload, out *Segment) Reason {
	if why := body.header(extensionMin); why != OK {
		return why
	}
	size := (int(body.data[1]) + 1) * extensionUnit
	if body.protocol == authentication {
		size = (int(body.data[1]) + 2) * authenticationUnit
	}
	if why := body.header(size); why != OK {
		return why
	}
	switch body.protocol {
	case routing:
		finalDestination(body.data[:size], out)
	case destinationOptions:
		homeAddress(body.data[:size], out)
	}
	body.strip(size, body.data[0])
	return OK
}

// finalDestination: while a routing header has segments left, the packet's
// destination is the next of them only (RFC 8200 section 8.1). The last one stands
// at the end, in segment routing at the beginning.
func finalDestination(header []byte, out *Segment) {
	addresses := header[8:]
	kind, left := header[2], int(header[3])
	if left == 0 || left > len(addresses)/16 {
		return
	}
	at := 0
	switch kind {
	case 0, 2: // RFC 5095, RFC 6275 section 6.4
		at = (len(addresses)/16 - 1) * 16
	case segmentRoutingHeader:
	default:
		return
	}
	out.Destination.Addr = [16]byte(addresses[at : at+16])
}

// homeAddress: a mobile node sends from a care-of address and names its own.
func homeAddress(header []byte, out *Segment) {
	if value := option(header, optionHomeAddress); len(value) == 16 {
		out.Source.Addr = [16]byte(value)
	}
}

// option is the value of the first option of that type in a hop-by-hop or
// destination options header (RFC 8200 section 4.2), nil if there is none.
func option(header []byte, wanted uint8) []byte {
	b := header[2:min(len(header), (int(header[1])+1)*extensionUnit)]
	for len(b) >= 2 {
		if b[0] == optionPad1 {
			b = b[1:]
			continue
		}
		size := 2 + int(b[1])
		if size > len(b) {
			return nil
		}
		if b[0] == wanted {
			return b[2:size]
		}
		b = b[size:]
	}
	return nil
}

func (p *Parser) fragment6(body *payload, out *Segment) Reason {
	if why := body.header(fragmentHeaderSize); why != OK {
		return why
	}
	h := body.data
	field := binary.BigEndian.Uint16(h[2:])
	body.strip(fragmentHeaderSize, h[0])
	if field&(ip6OffsetMask|ip6MoreFlag) == 0 {
		return OK // an atomic fragment is a whole packet (RFC 6946)
	}
	key := fragmentKey{
		source: out.Source.Addr, destination: out.Destination.Addr, tag: out.Tag,
		id: binary.BigEndian.Uint32(h[4:]), protocol: fragmentHeader,
	}
	return p.fragments.add(key, int(field&ip6OffsetMask), field&ip6MoreFlag != 0, body)
}
