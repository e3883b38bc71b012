package link

import "encoding/binary"

const (
	nflogHeader  = 4 // address family, version, resource id
	nflogPayload = 9 // NFULA_PAYLOAD
)

// nflog finds the packet among the attributes of a Linux netfilter log record:
// each has its length with these 4 bytes, its type, its value, and is padded to
// 4 bytes. They are in the byte order of the capturing host; a type is below 256,
// which tells it.
func nflog(data []byte, tag uint64) ([]byte, uint16, uint64, Reason) {
	if len(data) < nflogHeader {
		return nil, 0, tag, Short
	}
	data = data[nflogHeader:]
	for len(data) >= 4 {
		size, kind := binary.LittleEndian.Uint16(data), binary.LittleEndian.Uint16(data[2:])
		if kind > 0xff {
			size, kind = binary.BigEndian.Uint16(data), binary.BigEndian.Uint16(data[2:])
		}
		if size < 4 {
			return nil, 0, tag, NotIP
		}
		if kind == nflogPayload {
			return data[4:], etherIPv4, tag, OK
		}
		padded := (int(size) + 3) &^ 3
		if padded > len(data) {
			break
		}
		data = data[padded:]
	}
	return nil, 0, tag, Short
}
