package link

import (
	"encoding/binary"

	"pulsar-dissect/capture"
)

// pktap strips Apple's PKTAP header, little-endian: its length in bytes, the type
// of the next record (1 = packet), the packet's own link type.
func pktap(data []byte) (capture.LinkType, []byte, Reason) {
	if len(data) < 12 {
		return 0, nil, Short
	}
	size := binary.LittleEndian.Uint32(data)
	if size < 12 {
		return 0, nil, NotIP
	}
	if uint64(size) > uint64(len(data)) {
		return 0, nil, Short
	}
	return capture.LinkType(binary.LittleEndian.Uint32(data[8:])), data[size:], OK
}
