package wiremake

import (
	"encoding/binary"
	"net/netip"

	"pulsar-dissect/capture"
)

// Flags of a TCP header (RFC 9293, section 3.1).
const (
	FIN uint8 = 1 << iota
	SYN
	RST
	PSH
	ACK
)

// Check says which TCP checksum a segment carries.
type Check uint8

// The checksums: right; wrong; the sum of the pseudo header, as a card that
// fills it in later leaves it to the capture.
const (
	Good Check = iota
	Wrong
	Offloaded
)

// Segment is one TCP segment.
type Segment struct {
	From, To      netip.AddrPort
	Sequence, Ack uint32
	Flags         uint8
	Window        uint16
	Payload       []byte
	Cut           int // bytes of the payload's end that the snap length cut off
	Check         Check
	VLAN          uint16 // 0: no Ethernet around it
	WindowIsZero  bool   // Window counts although it is 0
}

// The link types of the packets.
const (
	linkRaw      = capture.LinkType(101)
	linkEthernet = capture.LinkType(1)
)

// Packet is the segment in an IP packet, and that in an Ethernet frame where
// there is a VLAN. Time in ns since the Unix epoch.
func (s Segment) Packet(number uint64, time int64) capture.Packet {
	ip := s.ip()
	link := linkRaw
	if s.VLAN != 0 {
		link = linkEthernet
		ip = append([]byte{0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0x81, 0, byte(s.VLAN >> 8), byte(s.VLAN), 8, 0}, ip...)
	}
	return capture.Packet{Number: number, Time: time, Link: link, Data: ip[:len(ip)-s.Cut], OrigLen: len(ip)}
}

// ip is the IPv4 packet.
func (s Segment) ip() []byte {
	const header = 20
	b := make([]byte, header+20+len(s.Payload))
	b[0], b[8], b[9] = 0x45, 64, 6
	binary.BigEndian.PutUint16(b[2:], uint16(len(b)))
	from, to := s.From.Addr().As4(), s.To.Addr().As4()
	copy(b[12:], from[:])
	copy(b[16:], to[:])
	tcp := b[header:]
	binary.BigEndian.PutUint16(tcp, s.From.Port())
	binary.BigEndian.PutUint16(tcp[2:], s.To.Port())
	binary.BigEndian.PutUint32(tcp[4:], s.Sequence)
	binary.BigEndian.PutUint32(tcp[8:], s.Ack)
	tcp[12], tcp[13] = 5<<4, s.Flags
	window := s.Window
	if window == 0 && !s.WindowIsZero {
		window = 512
	}
	binary.BigEndian.PutUint16(tcp[14:], window)
	copy(tcp[20:], s.Payload)
	binary.BigEndian.PutUint16(tcp[16:], s.checksum(b[12:20], tcp))
	return b
}

// checksum is that of RFC 9293, section 3.1, or what stands in its place.
func (s Segment) checksum(addresses, tcp []byte) uint16 {
	pseudo := addWords(uint32(6)+uint32(len(tcp)), addresses)
	sum := addWords(pseudo, tcp)
	switch s.Check {
	case Offloaded:
		return fold(pseudo)
	case Wrong:
		return neither(^fold(sum), fold(pseudo))
	}
	return ^fold(sum)
}

// neither is a number that is neither right nor what a card leaves.
func neither(right, left uint16) uint16 {
	for _, wrong := range [...]uint16{right ^ 0x5a5a, right ^ 0x2222, right ^ 0x1111, right ^ 0x4444} {
		if wrong != left && wrong != ^left && wrong != 0 && wrong != 0xffff {
			return wrong
		}
	}
	panic("no wrong checksum")
}

func addWords(sum uint32, b []byte) uint32 {
	for i := 0; i+1 < len(b); i += 2 {
		sum += uint32(b[i])<<8 | uint32(b[i+1])
	}
	if len(b)%2 == 1 {
		sum += uint32(b[len(b)-1]) << 8
	}
	return uint32(fold(sum))
}

func fold(sum uint32) uint16 {
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return uint16(sum)
}
