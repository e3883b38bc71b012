package link

import "encoding/binary"

// Flags and version of GRE (RFC 2784, RFC 2890).
const (
	greChecksum = 0x8000
	greRouting  = 0x4000 // RFC 1701, withdrawn by RFC 2784
	greKey      = 0x2000
	greSequence = 0x1000
	greVersion  = 0x0007 // 1 is PPTP, which has no EtherType
)

// gre strips a GRE header. Its protocol type is the EtherType of what follows;
// ERSPAN is told by it.
func gre(body []byte, tag uint64) ([]byte, uint16, uint64, Kind, Reason) {
	if len(body) < 4 {
		return nil, 0, tag, GRE, Short
	}
	flags, next := binary.BigEndian.Uint16(body), binary.BigEndian.Uint16(body[2:])
	if flags&(greVersion|greRouting) != 0 {
		return nil, 0, tag, GRE, NotIP
	}
	size := greSize(flags)
	if len(body) < size {
		return nil, 0, tag, GRE, Short
	}
	if next == etherBridged && flags&greKey != 0 {
		tag = nvgre(body[:size], flags, tag)
	}
	what := greKind(next)
	if next == etherERSPAN2 && flags&greSequence == 0 {
		next = etherBridged // type I: the frame follows at once
	}
	return body[size:], next, tag, what, OK
}

func greSize(flags uint16) int {
	size := 4
	for _, flag := range [...]uint16{greChecksum, greKey, greSequence} {
		if flags&flag != 0 {
			size += 4
		}
	}
	return size
}

func greKind(next uint16) Kind {
	if next == etherERSPAN2 || next == etherERSPAN3 {
		return ERSPAN
	}
	return GRE
}

// nvgre mixes in the virtual subnet id, the upper 24 bits of the key (RFC 7637
// section 3.2). The rest of the key, and keys in front of anything but Ethernet,
// may differ by direction and are no part of the tag.
func nvgre(header []byte, flags uint16, tag uint64) uint64 {
	at := 4
	if flags&greChecksum != 0 {
		at += 4
	}
	return mix(tag, nvgreSpace, binary.BigEndian.Uint32(header[at:])>>8)
}
