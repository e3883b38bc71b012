package link

import "encoding/binary"

const (
	cookedHeader  = 16 // packet type, ARPHRD type, address length, address (8), EtherType
	cooked2Header = 20 // EtherType, 2 reserved, interface, ARPHRD type, packet type, address length, address (8)
)

// cooked strips a Linux cooked capture header, version 1. The address has 8
// bytes of room, whatever its length field says.
func cooked(data []byte, tag uint64) ([]byte, uint16, uint64, Reason) {
	if len(data) < cookedHeader {
		return nil, 0, tag, Short
	}
	return data[cookedHeader:], binary.BigEndian.Uint16(data[14:]), tag, OK
}

// cooked2 strips a Linux cooked capture header, version 2.
func cooked2(data []byte, tag uint64) ([]byte, uint16, uint64, Reason) {
	if len(data) < cooked2Header {
		return nil, 0, tag, Short
	}
	return data[cooked2Header:], binary.BigEndian.Uint16(data), tag, OK
}
