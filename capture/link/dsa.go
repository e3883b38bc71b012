package link

import "encoding/binary"

const (
	addresses  = 12 // Ethernet destination and source
	dsaTag     = 4
	edsaPrefix = 4 // EtherType 0xdada, 2 reserved
)

// dsa strips an Ethernet header with the tag of a Marvell switch between the
// addresses and the EtherType.
func dsa(data []byte, tag uint64) ([]byte, uint16, uint64, Reason) {
	return switchTag(data, addresses, tag)
}

// edsa is dsa with an EtherType of its own before the tag.
func edsa(data []byte, tag uint64) ([]byte, uint16, uint64, Reason) {
	return switchTag(data, addresses+edsaPrefix, tag)
}

// switchTag: the last 12 bits of the tag are the VLAN id. It is mixed in only
// where the frame had a VLAN tag on the wire (bit 29), as with any other link type.
func switchTag(data []byte, at int, tag uint64) ([]byte, uint16, uint64, Reason) {
	if len(data) < at+dsaTag+2 {
		return nil, 0, tag, Short
	}
	word := binary.BigEndian.Uint32(data[at:])
	if word&(1<<29) != 0 {
		tag = mix(tag, vlanSpace, word&0x0fff)
	}
	at += dsaTag
	return data[at+2:], binary.BigEndian.Uint16(data[at:]), tag, OK
}
