package link

const (
	mplsEntry    = 4 // label, traffic class, bottom of stack, TTL
	mplsStackMax = 16
	controlWord  = 4 // RFC 4448 section 4.6
)

// mpls strips a label stack (RFC 3032 section 2.1). Nothing names what follows
// it: IP shows by its version, and 0 in that place begins the control word of a
// pseudowire, whose content is taken for Ethernet. Labels are no part of the tag,
// as each direction has its own.
func mpls(data []byte, tag uint64) ([]byte, uint16, uint64, Reason) {
	data, why := labels(data)
	if why != OK {
		return nil, 0, tag, why
	}
	switch {
	case len(data) == 0:
		return nil, 0, tag, Short
	case data[0]>>4 == 4:
		return data, etherIPv4, tag, OK
	case data[0]>>4 == 6:
		return data, etherIPv6, tag, OK
	case data[0]>>4 != 0:
		return nil, 0, tag, NotIP
	case len(data) < controlWord:
		return nil, 0, tag, Short
	}
	return data[controlWord:], etherBridged, tag, OK
}

func labels(data []byte) ([]byte, Reason) {
	for range mplsStackMax {
		if len(data) < mplsEntry {
			return nil, Short
		}
		bottom := data[2]&1 != 0
		data = data[mplsEntry:]
		if bottom {
			return data, OK
		}
	}
	return nil, TooDeep
}
