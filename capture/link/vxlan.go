package link

import "encoding/binary"

const (
	vxlanHeader = 8
	vxlanHasVNI = 0x08 // flag I, set in every valid header
)

// vxlan strips a VXLAN header (RFC 7348 section 5): flags, network identifier.
func vxlan(body []byte, tag uint64) ([]byte, uint16, uint64, Kind, Reason) {
	if len(body) < vxlanHeader || body[0]&vxlanHasVNI == 0 {
		return nil, 0, tag, None, OK
	}
	vni := binary.BigEndian.Uint32(body[4:]) >> 8
	return body[vxlanHeader:], etherBridged, mix(tag, vxlanSpace, vni), VXLAN, OK
}
