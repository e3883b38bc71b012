package wiremake

import (
	"encoding/binary"

	"pulsar-dissect/capture"
)

// Pcap is a capture file of the packets, which are of one link type: pcap with
// times in ns, little-endian.
func Pcap(packets []capture.Packet) []byte {
	link := linkRaw
	if len(packets) > 0 {
		link = packets[0].Link
	}
	b := binary.LittleEndian.AppendUint32(nil, 0xa1b23c4d)
	b = append(b, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(link))
	for _, p := range packets {
		b = binary.LittleEndian.AppendUint32(b, uint32(p.Time/1e9))
		b = binary.LittleEndian.AppendUint32(b, uint32(p.Time%1e9))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(p.Data)))
		b = binary.LittleEndian.AppendUint32(b, uint32(p.OrigLen))
		b = append(b, p.Data...)
	}
	return b
}
