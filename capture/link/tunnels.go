package link

// Kind is a kind of tunnel; None is 0.
type Kind uint8

// The kinds of tunnel. IPIP is IPv4 (protocol 4), SixIn is IPv6 (protocol 41) in
// either version of IP.
const (
	None Kind = iota
	IPIP
	SixIn
	GRE
	ERSPAN
	VXLAN
	GENEVE
	GTPU
	Kinds // their number
)

var kindNames = [Kinds]string{"none", "ipip", "6in4", "gre", "erspan", "vxlan", "geneve", "gtp-u"}

// String is the name that counters carry.
func (k Kind) String() string {
	if k < Kinds {
		return kindNames[k]
	}
	return "unknown"
}

// IP protocol numbers (IANA).
const (
	protocolIPv4 = 4
	protocolUDP  = 17
	protocolIPv6 = 41
	protocolGRE  = 47
)

// opener strips a tunnel's own header, as header does. It gives None where the
// bytes are not that tunnel: a UDP port may be used for anything.
type opener func(body []byte, tag uint64) (rest []byte, next uint16, tagged uint64, what Kind, why Reason)

var protocolTunnels = []struct {
	protocol uint8
	open     opener
}{
	{protocolIPv4, ipip},
	{protocolIPv6, sixIn},
	{protocolGRE, gre},
}

// udpTunnels are known by their destination port; those with answers from the
// same port also by the source port.
var udpTunnels = []struct {
	port   uint16
	answer bool
	open   opener
}{
	{4789, false, vxlan},
	{8472, false, vxlan}, // Linux before the port was assigned, flannel
	{6081, false, geneve},
	{2152, true, gtpu},
}

// Tunnel looks for an IP packet inside the payload of an IP packet of the given
// protocol; for UDP, body is the payload of UDP and the ports are those of its
// header. What is None if this is no tunnel known here. Else why is OK and inner
// begins with the inner IP header, or why says what is in it instead.
func Tunnel(protocol uint8, sourcePort, destinationPort uint16, body []byte) (inner []byte, tag uint64, what Kind, why Reason) {
	open := tunnel(protocol, sourcePort, destinationPort)
	if open == nil {
		return nil, 0, None, OK
	}
	rest, next, tag, what, why := open(body, 0)
	if what == None || why != OK {
		return nil, 0, what, why
	}
	inner, tag, why = walk(rest, next, tag)
	return inner, tag, what, why
}

func tunnel(protocol uint8, sourcePort, destinationPort uint16) opener {
	if protocol == protocolUDP {
		return udpTunnel(sourcePort, destinationPort)
	}
	for i := range protocolTunnels {
		if protocolTunnels[i].protocol == protocol {
			return protocolTunnels[i].open
		}
	}
	return nil
}

func udpTunnel(sourcePort, destinationPort uint16) opener {
	for i := range udpTunnels {
		t := &udpTunnels[i]
		if t.port == destinationPort || t.answer && t.port == sourcePort {
			return t.open
		}
	}
	return nil
}
