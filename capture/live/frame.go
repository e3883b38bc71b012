package live

import (
	"encoding/binary"

	"pulsar-dissect/capture"
)

// Offsets in the header of a packet in the ring, struct tpacket3_hdr of
// linux/if_packet.h, in the byte order of the machine.
const (
	atNext     = 0  // bytes to the next header of the block, 0 in the last one
	atSeconds  = 4  // since the Unix epoch
	atNanos    = 8  // of the second
	atCaptured = 12 // bytes from mac on
	atOriginal = 16 // bytes the packet had
	atStatus   = 20 // flags
	atMAC      = 24 // offset of the link layer header, 16 bits
	atNet      = 26 // offset of the network header, 16 bits
	atTag      = 32 // VLAN tag control information
	atTagType  = 36 // EtherType of the tag, 16 bits

	frameHead   = 48 // bytes, with padding; then comes struct sockaddr_ll
	atIndex     = frameHead + 4
	atHardware  = frameHead + 8
	frameHeads  = frameHead + 20
	tagSize     = 4  // bytes of a VLAN tag
	tagAt       = 12 // its place in an Ethernet header: behind two addresses
	statusTag   = 1 << 4
	statusType  = 1 << 6
	typeOf8021Q = 0x8100
)

// frame is one packet in the ring.
type frame struct {
	next     int // bytes to the next one
	seconds  uint32
	nanos    uint32
	original int
	index    uint32 // of the interface
	hardware uint16 // ARPHRD_ of the interface
	link     capture.LinkType
	data     []byte
}

// hardwareEthernet are the hardware types whose packets begin with an Ethernet
// header. What others put there is of no use to anybody: their packets are given
// from the network header on.
var hardwareEthernet = map[uint16]bool{1: true, arphrdLoopback: true}

const (
	linkEthernet capture.LinkType = 1
	linkRaw      capture.LinkType = 101
)

// parse reads the header at the start of b, which reaches to the end of the
// block. It may write in b: a tag that the kernel took out of a packet is put
// back, in the room that PACKET_RESERVE leaves before the packet. It tells false
// if the header does not fit b.
func (f *frame) parse(b []byte) bool {
	if len(b) < frameHeads {
		return false
	}
	order := binary.NativeEndian
	f.next = int(order.Uint32(b[atNext:]))
	f.seconds, f.nanos = order.Uint32(b[atSeconds:]), order.Uint32(b[atNanos:])
	f.original = int(order.Uint32(b[atOriginal:]))
	f.index, f.hardware = order.Uint32(b[atIndex:]), order.Uint16(b[atHardware:])
	mac, net := int(order.Uint16(b[atMAC:])), int(order.Uint16(b[atNet:]))
	end := mac + int(order.Uint32(b[atCaptured:]))
	if mac < frameHeads+tagSize || end > len(b) || end < mac || f.next > len(b) {
		return false
	}
	if !hardwareEthernet[f.hardware] {
		start := min(max(mac, net), end)
		f.link, f.data, f.original = linkRaw, b[start:end], f.original-(start-mac)
		return true
	}
	f.link, f.data = linkEthernet, b[mac:end]
	if status := order.Uint32(b[atStatus:]); status&statusTag != 0 && end-mac >= tagAt {
		f.restore(b[mac-tagSize:end], order.Uint16(b[atTag:]), tagType(order.Uint16(b[atTagType:]), status))
	}
	return true
}

// tagType is the EtherType of a tag. Old kernels do not tell it.
func tagType(told uint16, status uint32) uint16 {
	if status&statusType == 0 {
		return typeOf8021Q
	}
	return told
}

// restore puts a tag (IEEE 802.1Q) back. b has room for it before the packet.
func (f *frame) restore(b []byte, tag, etherType uint16) {
	copy(b, b[tagSize:tagSize+tagAt])
	binary.BigEndian.PutUint16(b[tagAt:], etherType)
	binary.BigEndian.PutUint16(b[tagAt+2:], tag)
	f.data = b
	f.original += tagSize
}
