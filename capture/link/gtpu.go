package link

const (
	gtpuHeader   = 8
	gtpuVersion1 = 3    // version 1, protocol type GTP
	gtpuOptional = 4    // sequence number, N-PDU number, type of the next extension header
	gtpuHasMore  = 0x07 // flags E, S, PN: any of them brings the optional part
	gtpuPDU      = 255  // message type: a user packet
	gtpuUnit     = 4    // bytes per unit of an extension header's length
)

// gtpu strips a GTP-U header (3GPP TS 29.281 section 5.1) and its extension
// headers. The tunnel endpoint id is no part of the tag, as each direction has its own.
func gtpu(body []byte, tag uint64) ([]byte, uint16, uint64, Kind, Reason) {
	if len(body) < gtpuHeader || body[0]>>4 != gtpuVersion1 || body[1] != gtpuPDU {
		return nil, 0, tag, None, OK
	}
	rest, why := body[gtpuHeader:], OK
	if body[0]&gtpuHasMore != 0 {
		rest, why = gtpuExtensions(rest)
	}
	return rest, etherIPv4, tag, GTPU, why
}

// gtpuExtensions: each begins with its length and ends with the next one's type
// (section 5.2.1).
func gtpuExtensions(data []byte) ([]byte, Reason) {
	if len(data) < gtpuOptional {
		return nil, Short
	}
	next := data[gtpuOptional-1]
	data = data[gtpuOptional:]
	for next != 0 {
		if len(data) == 0 {
			return nil, Short
		}
		size := int(data[0]) * gtpuUnit
		if size == 0 {
			return nil, NotIP
		}
		if len(data) < size {
			return nil, Short
		}
		next, data = data[size-1], data[size:]
	}
	return data, OK
}
