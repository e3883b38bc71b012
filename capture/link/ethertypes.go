package link

// EtherTypes (IANA, IEEE 802 Numbers).
const (
	etherIPv4       = 0x0800
	etherIPv6       = 0x86dd
	etherVLAN       = 0x8100 // IEEE 802.1Q
	etherService    = 0x88a8 // IEEE 802.1ad
	etherVLAN9100   = 0x9100 // stacked tags before 802.1ad
	etherVLAN9200   = 0x9200
	etherMPLS       = 0x8847 // RFC 3032
	etherMPLSOther  = 0x8848 // RFC 5332: upstream-assigned label
	etherPPPoE      = 0x8864 // RFC 2516: session
	etherBridged    = 0x6558 // RFC 1701: an Ethernet frame
	etherFabricPath = 0x8903 // Cisco
	etherERSPAN2    = 0x88be // ERSPAN types I and II
	etherERSPAN3    = 0x22eb // ERSPAN type III
)

// etherTypes has what may stand between a link layer and IP, the usual first.
var etherTypes = []struct {
	number uint16
	strip  header
}{
	{etherVLAN, vlan},
	{etherService, vlan},
	{etherBridged, ethernet},
	{etherMPLS, mpls},
	{etherMPLSOther, mpls},
	{etherPPPoE, pppoe},
	{etherVLAN9100, vlan},
	{etherVLAN9200, vlan},
	{etherFabricPath, fabricPath},
	{etherERSPAN2, erspan2},
	{etherERSPAN3, erspan3},
}

// followed is how the header with that EtherType is stripped, nil for none.
func followed(number uint16) header {
	for i := range etherTypes {
		if etherTypes[i].number == number {
			return etherTypes[i].strip
		}
	}
	return nil
}
