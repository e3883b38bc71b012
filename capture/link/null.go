package link

import "encoding/binary"

// null strips the address family of BSD loopback captures. NULL has it in the
// byte order of the capturing host, which nothing tells, LOOP in network order:
// both orders are tried, as every family is below 2^16. IPv6 is 10 on
// Linux, 23 on Windows, 24, 28 and 30 on the BSDs and macOS.
func null(data []byte, tag uint64) ([]byte, uint16, uint64, Reason) {
	if len(data) < 4 {
		return nil, 0, tag, Short
	}
	family := binary.BigEndian.Uint32(data)
	if family > 0xffff {
		family = binary.LittleEndian.Uint32(data)
	}
	switch family {
	case 2:
		return data[4:], etherIPv4, tag, OK
	case 10, 23, 24, 28, 30:
		return data[4:], etherIPv6, tag, OK
	}
	return nil, 0, tag, NotIP
}
