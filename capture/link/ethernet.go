package link

import "encoding/binary"

const ethernetHeader = 14 // destination, source, EtherType

// ethernet strips an Ethernet II header (IEEE 802.3). A value below 0x600 in
// the place of the EtherType is a length, and has no row.
func ethernet(data []byte, tag uint64) ([]byte, uint16, uint64, Reason) {
	if len(data) < ethernetHeader {
		return nil, 0, tag, Short
	}
	return data[ethernetHeader:], binary.BigEndian.Uint16(data[12:]), tag, OK
}
