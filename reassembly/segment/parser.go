package segment

import (
	"encoding/binary"

	"pulsar-dissect/capture"
	"pulsar-dissect/capture/link"
)

// maxPackets limits IP packets inside each other, the outermost counted.
const maxPackets = 7

// maxMissing is the most bytes that a packet may lack against its length on the
// wire for that length to be believed: twice what the Linux kernel makes of
// one segment (GSO_MAX_SIZE, 512 KiB).
const maxMissing = 1 << 20

// IP protocol numbers (IANA).
const (
	protocolTCP = 6
	protocolUDP = 17
)

const udpHeader = 8 // source port, destination port, length, checksum (RFC 768)

// Parser finds the TCP segment in each packet. It keeps fragments and counters,
// so packets go in one by one, in reading order. It is not safe for concurrent use.
type Parser struct {
	fragments *fragments
	counts    counts
}

// NewParser gives a parser that keeps at most what limits say.
func NewParser(limits Limits) *Parser {
	return &Parser{fragments: newFragments(limits), counts: newCounts()}
}

// Parse finds the TCP segment in a packet. With OK, every field of out is set;
// its Data is borrowed from the packet or from the parser until the next call.
// With FragmentPending, its addresses are; with any other reason, what out holds
// means nothing.
func (p *Parser) Parse(packet *capture.Packet, out *Segment) Reason {
	p.counts.link(packet.Link)
	why := p.parse(packet, out)
	p.counts.reasons[why]++
	switch {
	case why != OK || len(out.Data) == out.Length:
	case packet.FileEnds:
		out.endWithData()
	default:
		p.counts.cut++
	}
	return why
}

// endWithData makes it a segment of what is there: of the rest nothing is known,
// as of later packets.
func (s *Segment) endWithData() {
	s.Length = len(s.Data)
	s.Flags &^= FIN
}

func (p *Parser) parse(packet *capture.Packet, out *Segment) Reason {
	ip, tag, why := link.Network(packet.Link, packet.Data)
	if why != link.OK {
		return fromLink[why]
	}
	out.Tag = tag
	p.fragments.now = packet.Time
	missing := missingBytes(packet)
	var body payload
	for range maxPackets {
		if why := p.network(ip, missing, &body, out); why != OK {
			return why
		}
		if body.protocol == protocolTCP {
			return tcp(&body, out)
		}
		var why Reason
		if ip, why = p.tunnel(&body, out); why != OK {
			return why
		}
		missing = max(0, body.length-len(body.data))
	}
	return TooDeep
}

// missingBytes is how much of the packet's end was not captured.
func missingBytes(packet *capture.Packet) int {
	missing := packet.OrigLen - len(packet.Data)
	if missing < 0 || missing > maxMissing {
		return 0
	}
	return missing
}

// payload is what an IP packet carries. It is filled through a pointer: too large
// for registers, it would be copied at every return.
type payload struct {
	protocol uint8
	data     []byte // as captured, without what follows the packet's own length
	length   int    // on the wire, bytes
}

// strip takes size bytes of header off the front, of which next is the protocol after it.
func (b *payload) strip(size int, next uint8) {
	b.protocol, b.data, b.length = next, b.data[size:], b.length-size
}

// header says whether size more bytes can be the next header: BadIP if the
// packet ends in it, Short if what was captured does.
func (b *payload) header(size int) Reason {
	if size > b.length {
		return BadIP
	}
	if size > len(b.data) {
		return Short
	}
	return OK
}

// network reads an IP header, of which missing bytes were cut from the end, into
// body, and puts the addresses into out.
func (p *Parser) network(ip []byte, missing int, body *payload, out *Segment) Reason {
	if len(ip) == 0 {
		return Short
	}
	switch ip[0] >> 4 {
	case 4:
		return p.ip4(ip, missing, body, out)
	case 6:
		return p.ip6(ip, missing, body, out)
	}
	return NotIP
}

// tunnel finds the IP packet inside another's payload.
func (p *Parser) tunnel(body *payload, out *Segment) ([]byte, Reason) {
	var source, destination uint16
	data := body.data
	if body.protocol == protocolUDP {
		if len(data) < udpHeader {
			return nil, NotTCP
		}
		source, destination = binary.BigEndian.Uint16(data), binary.BigEndian.Uint16(data[2:])
		data = data[udpHeader:]
	}
	inner, tag, what, why := link.Tunnel(body.protocol, source, destination, data)
	if what == link.None {
		return nil, NotTCP
	}
	p.counts.tunnels[what]++
	out.Tag = link.Combine(out.Tag, tag)
	return inner, fromLink[why]
}
