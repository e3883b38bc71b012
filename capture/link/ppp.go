package link

import "encoding/binary"

// pppType is the EtherType of a PPP protocol number (IANA, PPP Numbers).
func pppType(protocol uint16) (uint16, Reason) {
	switch protocol {
	case 0x0021:
		return etherIPv4, OK
	case 0x0057:
		return etherIPv6, OK
	case 0x0281:
		return etherMPLS, OK
	}
	return 0, NotIP
}

// ppp strips a PPP header (RFC 1661 section 2), with or without the address and
// control bytes of HDLC framing (RFC 1662 section 3.1), its protocol field
// compressed to one byte or not (an odd first byte, RFC 1661 section 6.5).
func ppp(data []byte, tag uint64) ([]byte, uint16, uint64, Reason) {
	if len(data) >= 2 && data[0] == 0xff && data[1] == 0x03 {
		data = data[2:]
	}
	if len(data) < 2 {
		return nil, 0, tag, Short
	}
	protocol, size := binary.BigEndian.Uint16(data), 2
	if data[0]&1 != 0 {
		protocol, size = uint16(data[0]), 1
	}
	next, why := pppType(protocol)
	return data[size:], next, tag, why
}

// pppSerial is ppp, or Cisco HDLC where the address byte says so.
func pppSerial(data []byte, tag uint64) ([]byte, uint16, uint64, Reason) {
	if len(data) > 0 && (data[0] == 0x0f || data[0] == 0x8f) {
		return ciscoHDLC(data, tag)
	}
	return ppp(data, tag)
}

// ciscoHDLC strips address, control and an EtherType (RFC 1547 section 4.3.1).
func ciscoHDLC(data []byte, tag uint64) ([]byte, uint16, uint64, Reason) {
	if len(data) < 4 {
		return nil, 0, tag, Short
	}
	return data[4:], binary.BigEndian.Uint16(data[2:]), tag, OK
}

const pppoeHeader = 6 // version and type, code, session id, length

// pppoe strips the header of a PPPoE session (RFC 2516 section 4) and the PPP
// protocol number after it, which has no HDLC framing. The session id is no
// part of the tag: it names a subscriber's line, not a network.
func pppoe(data []byte, tag uint64) ([]byte, uint16, uint64, Reason) {
	if len(data) < pppoeHeader+2 {
		return nil, 0, tag, Short
	}
	next, why := pppType(binary.BigEndian.Uint16(data[pppoeHeader:]))
	return data[pppoeHeader+2:], next, tag, why
}
