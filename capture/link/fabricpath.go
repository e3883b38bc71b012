package link

// fabricPath strips the forwarding tag (10 bits of tree, 6 of time to live) that
// follows EtherType 0x8903; the original frame comes after it.
func fabricPath(data []byte, tag uint64) ([]byte, uint16, uint64, Reason) {
	if len(data) < 2 {
		return nil, 0, tag, Short
	}
	return data[2:], etherBridged, tag, OK
}
