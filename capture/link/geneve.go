package link

import "encoding/binary"

const (
	geneveHeader = 8
	geneveUnit   = 4 // bytes per unit of the options' length
)

// geneve strips a GENEVE header (RFC 8926 section 3.4), version 0, and its options.
func geneve(body []byte, tag uint64) ([]byte, uint16, uint64, Kind, Reason) {
	if len(body) < geneveHeader || body[0]>>6 != 0 {
		return nil, 0, tag, None, OK
	}
	size := geneveHeader + int(body[0]&0x3f)*geneveUnit
	if len(body) < size {
		return nil, 0, tag, GENEVE, Short
	}
	vni := binary.BigEndian.Uint32(body[4:]) >> 8
	return body[size:], binary.BigEndian.Uint16(body[2:]), mix(tag, geneveSpace, vni), GENEVE, OK
}
