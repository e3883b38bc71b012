package link

// ipip: IPv4 in IP (RFC 2003) has no header of its own.
func ipip(body []byte, tag uint64) ([]byte, uint16, uint64, Kind, Reason) {
	return body, etherIPv4, tag, IPIP, OK
}

// sixIn: IPv6 in IP (RFC 4213, RFC 2473) neither.
func sixIn(body []byte, tag uint64) ([]byte, uint16, uint64, Kind, Reason) {
	return body, etherIPv6, tag, SixIn, OK
}
