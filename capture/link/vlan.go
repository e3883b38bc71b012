package link

import "encoding/binary"

const vlanHeader = 4 // tag control information, EtherType of what follows

// vlan strips an IEEE 802.1Q tag; its EtherType is gone already.
func vlan(data []byte, tag uint64) ([]byte, uint16, uint64, Reason) {
	if len(data) < vlanHeader {
		return nil, 0, tag, Short
	}
	id := binary.BigEndian.Uint16(data) & 0x0fff
	return data[vlanHeader:], binary.BigEndian.Uint16(data[2:]), mix(tag, vlanSpace, uint32(id)), OK
}
