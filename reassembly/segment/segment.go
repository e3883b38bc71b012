package segment

import (
	"net/netip"
)

// Endpoint is one side of a TCP connection. Addr holds an IPv6 address or an
// IPv4 address in its mapped form (::ffff:a.b.c.d), so that it is comparable
// and hashes as plain bytes.
type Endpoint struct {
	Addr [16]byte
	Port uint16
}

// AddrPort gives the endpoint as the standard library's type, IPv4 unmapped.
func (e Endpoint) AddrPort() netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom16(e.Addr).Unmap(), e.Port)
}

// String is a.b.c.d:port or [v6]:port.
func (e Endpoint) String() string { return e.AddrPort().String() }

// Checksum is the verdict on a TCP checksum (RFC 9293, section 3.1).
type Checksum uint8

// A checksum left to the network card holds the sum of the pseudo header, or
// 0: Partial. A segment that was not captured whole has an Unknown one.
const (
	Unknown Checksum = iota
	Right
	Partial
	Wrong
)

// Flags of a TCP header.
const (
	FIN uint8 = 1 << iota
	SYN
	RST
	PSH
	ACK
)

// Segment is one TCP segment as found in a packet. Data is borrowed from the
// packet (or from the fragment buffer) until the next call of Parser.Parse.
type Segment struct {
	Source, Destination Endpoint
	Sequence            uint32
	Acknowledgement     uint32
	Flags               uint8
	Window              uint16
	Checksum            Checksum
	Tag                 uint64 // VLAN ids and VNI around it, mixed; 0 without
	Data                []byte // payload bytes captured
	Print               Print  // of Data, where its checksum had to be summed; else 0
	Length              int    // payload bytes on the wire; more than len(Data) where the snap length cut it
}
