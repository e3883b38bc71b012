package link

import "encoding/binary"

const (
	erspan2Header = 8
	erspan3Header = 12
	erspan3More   = 8 // platform specific, where the last bit of the header is set
	erspanIP      = 2 // frame type: an IP packet, not an Ethernet frame
)

// erspan2 strips the header of a mirrored frame, type II
// (draft-foschiano-erspan-03 section 4.2). Its VLAN is that of the mirrored
// port, which may differ by direction: no part of the tag.
func erspan2(data []byte, tag uint64) ([]byte, uint16, uint64, Reason) {
	if len(data) < erspan2Header {
		return nil, 0, tag, Short
	}
	return data[erspan2Header:], etherBridged, tag, OK
}

// erspan3 strips type III (section 4.3 of the same).
func erspan3(data []byte, tag uint64) ([]byte, uint16, uint64, Reason) {
	if len(data) < erspan3Header {
		return nil, 0, tag, Short
	}
	last := binary.BigEndian.Uint16(data[10:])
	size := erspan3Header
	if last&1 != 0 {
		size += erspan3More
	}
	if len(data) < size {
		return nil, 0, tag, Short
	}
	if last>>10&0x1f == erspanIP {
		return data[size:], etherIPv4, tag, OK
	}
	return data[size:], etherBridged, tag, OK
}
