package segment

import (
	"encoding/binary"
	"strings"

	"pulsar-dissect/capture"
)

// Packets made by hand. Link type RAW is used where the link layer does not matter.
const rawIP capture.LinkType = 101

var (
	address4 = [2][]byte{{10, 0, 0, 1}, {10, 0, 0, 2}}
	address6 = [2][]byte{
		{0x20, 0x01, 0x0d, 0xb8, 15: 1},
		{0x20, 0x01, 0x0d, 0xb8, 15: 2},
	}
)

// tcpBytes is a segment of port 40000 to 6650 with 12 bytes of options; its
// checksum is not set.
func tcpBytes(payload string) []byte {
	h := make([]byte, 32)
	binary.BigEndian.PutUint16(h, 40000)
	binary.BigEndian.PutUint16(h[2:], 6650)
	binary.BigEndian.PutUint32(h[4:], 0xfffffff0)
	binary.BigEndian.PutUint32(h[8:], 77)
	h[12], h[13] = 8<<4, PSH|ACK
	binary.BigEndian.PutUint16(h[14:], 512)
	copy(h[20:], []byte{1, 1, 8, 10})
	return append(h, payload...)
}

// ip4Bytes is an IPv4 packet; fragment is the field of flags and offset.
func ip4Bytes(protocol uint8, id, fragment uint16, payload []byte) []byte {
	h := make([]byte, ip4Header)
	h[0], h[8], h[9] = 0x45, 64, protocol
	if n := ip4Header + len(payload); n <= 0xffff {
		binary.BigEndian.PutUint16(h[2:], uint16(n))
	}
	binary.BigEndian.PutUint16(h[4:], id)
	binary.BigEndian.PutUint16(h[6:], fragment)
	copy(h[12:], address4[0])
	copy(h[16:], address4[1])
	return append(h, payload...)
}

// ip6Bytes is an IPv6 packet whose payload begins with a header of type next.
func ip6Bytes(next uint8, payload []byte) []byte {
	h := make([]byte, ip6Header)
	h[0], h[6], h[7] = 0x60, next, 64
	if len(payload) <= 0xffff {
		binary.BigEndian.PutUint16(h[4:], uint16(len(payload)))
	}
	copy(h[8:], address6[0])
	copy(h[24:], address6[1])
	return append(h, payload...)
}

// extensionBytes is an extension header of units of 8 bytes, and what follows.
func extensionBytes(next uint8, body, rest []byte) []byte {
	size := (2 + len(body) + 7) / 8 * 8
	h := make([]byte, size)
	h[0], h[1] = next, uint8(size/8-1)
	copy(h[2:], body)
	return append(h, rest...)
}

// fragment6Bytes is a fragment header and a part of a payload of type next.
func fragment6Bytes(next uint8, id uint32, offset int, more bool, part []byte) []byte {
	h := make([]byte, 8)
	h[0] = next
	binary.BigEndian.PutUint16(h[2:], uint16(offset))
	if more {
		h[3] |= 1
	}
	binary.BigEndian.PutUint32(h[4:], id)
	return append(h, part...)
}

func udpBytes(source, destination uint16, payload []byte) []byte {
	h := make([]byte, udpHeader)
	binary.BigEndian.PutUint16(h, source)
	binary.BigEndian.PutUint16(h[2:], destination)
	return append(h, payload...)
}

// pseudo is the pseudo header of a TCP segment (RFC 9293 section 3.1, RFC 8200
// section 8.1).
func pseudo(source, destination []byte, length int) []byte {
	b := append(append([]byte{}, source...), destination...)
	if len(source) == 4 {
		return append(b, 0, 6, byte(length>>8), byte(length))
	}
	return append(binary.BigEndian.AppendUint32(b, uint32(length)), 0, 0, 0, 6)
}

// plainSum is RFC 1071 word by word.
func plainSum(b []byte) uint16 {
	var s uint32
	for i, x := range b {
		s += uint32(x) << (8 * uint(1-i%2))
		s = s>>16 + s&0xffff
	}
	return uint16(s)
}

// signed sets the right checksum.
func signed(tcp, source, destination []byte) []byte {
	binary.BigEndian.PutUint16(tcp[checksumAt:], 0)
	s := plainSum(append(pseudo(source, destination, len(tcp)), tcp...))
	binary.BigEndian.PutUint16(tcp[checksumAt:], ^s)
	return tcp
}

func signed4(payload string) []byte { return signed(tcpBytes(payload), address4[0], address4[1]) }
func signed6(payload string) []byte { return signed(tcpBytes(payload), address6[0], address6[1]) }

func packet(link capture.LinkType, data []byte) *capture.Packet {
	return &capture.Packet{Link: link, Data: data, OrigLen: len(data)}
}

// parse is for one packet alone.
func parse(link capture.LinkType, data []byte) (Segment, Reason) {
	var out Segment
	why := NewParser(Limits{}).Parse(packet(link, data), &out)
	return out, why
}

var hello = strings.Repeat("hello, broker. ", 20)
