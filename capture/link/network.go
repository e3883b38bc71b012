package link

import "pulsar-dissect/capture"

// MaxHeaders limits the headers (VLAN tags, label stacks, frames in frames)
// between a link layer, or a tunnel's own header, and its IP packet.
const MaxHeaders = 16

// header strips one header off data. It gives what follows and the EtherType of
// that: etherIPv4 or etherIPv6 end the walk, etherBridged is an Ethernet frame.
// The tag is passed through, with the header's own identifier mixed in.
//
// It goes by value: a pointer handed to a function from a table would put the
// state of every packet on the heap.
type header func(data []byte, tag uint64) (rest []byte, next uint16, tagged uint64, why Reason)

// Network strips the link layer off a packet of link type t. With OK, ip begins
// with the first byte of the IP header (its version is not looked at) and ends
// with the captured bytes. The tag is 0 where no VLAN or virtual network is named.
func Network(t capture.LinkType, data []byte) (ip []byte, tag uint64, why Reason) {
	if t == pktapType {
		if t, data, why = pktap(data); why != OK {
			return nil, 0, why
		}
	}
	strip := decoder(t)
	if strip == nil {
		return nil, 0, UnknownLinkType
	}
	rest, next, tag, why := strip(data, 0)
	if why != OK {
		return nil, 0, why
	}
	return walk(rest, next, tag)
}

// walk strips headers by EtherType until the IP packet is reached.
func walk(data []byte, next uint16, tag uint64) ([]byte, uint64, Reason) {
	for range MaxHeaders {
		if next == etherIPv4 || next == etherIPv6 {
			return data, tag, OK
		}
		strip := followed(next)
		if strip == nil {
			return nil, tag, NotIP
		}
		var why Reason
		if data, next, tag, why = strip(data, tag); why != OK {
			return nil, tag, why
		}
	}
	return nil, tag, TooDeep
}

// space says what an identifier identifies, so that VLAN 5 is not VNI 5.
type space uint64

const (
	vlanSpace space = iota + 1
	vxlanSpace
	geneveSpace
	nvgreSpace
)

// mix adds an identifier to a tag; the order of identifiers counts. VLAN id 0
// is no VLAN (a priority tag, IEEE 802.1Q section 9.6), and leaves the tag as it is.
func mix(tag uint64, s space, id uint32) uint64 {
	if id == 0 && s == vlanSpace {
		return tag
	}
	return Combine(tag, uint64(s)<<32|uint64(id))
}

// Combine is the tag of a network inside another; 0 on either side changes nothing.
func Combine(outer, inner uint64) uint64 {
	if inner == 0 {
		return outer
	}
	if outer == 0 {
		return inner
	}
	const odd = 0x9e3779b97f4a7c15 // 2^64 by the golden ratio: spreads near numbers far
	return (outer*odd ^ inner) | 1<<63
}
