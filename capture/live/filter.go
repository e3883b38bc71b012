package live

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/net/bpf"
)

// Filter says which packets the kernel hands up. The zero Filter takes all.
//
// Packets with a VLAN tag that is not stripped always pass. So do, from the right
// addresses, all fragments but the first, which have no ports, and IPv6
// packets with extension headers. Tunnels are not looked into.
type Filter struct {
	Ports []uint16       // TCP ports, of either side; none: any protocol
	Nets  []netip.Prefix // addresses, of either side; none: all
}

// empty says whether everything is wanted.
func (f *Filter) empty() bool { return len(f.Ports) == 0 && len(f.Nets) == 0 }

// Where a program finds things (linux/filter.h). Loads from networkHeader on
// are relative to the IP header, whatever the link layer.
const (
	networkHeader  = 0xfff00000 // SKF_NET_OFF
	arphrdLoopback = 772        // hardware type of the loopback interface (linux/if_arp.h)
	packetOutgoing = 4          // PACKET_OUTGOING: sent by this machine (linux/if_packet.h)

	etherIPv4 = 0x0800
	etherIPv6 = 0x86dd
	tcp       = 6
)

// tagged are the EtherTypes of VLAN tags.
var tagged = []uint32{0x8100, 0x88a8, 0x9100}

// extensions are the protocol numbers of IPv6 extension headers behind which TCP
// may stand: hop-by-hop options, routing, fragment, destination options.
var extensions = []uint32{0, 43, 44, 60}

// compile makes the program: what the loopback interface sends is not wanted, as
// it comes in again; of the interfaces of these indices, if any; what the filter
// lets through; of each packet no more than snap bytes.
func (f *Filter) compile(interfaces []uint32, snap uint32) ([]bpf.RawInstruction, error) {
	p := &program{net: networkHeader, protocol: bpf.LoadExtension{Num: bpf.ExtProto}}
	p.onceFromLoopback()
	p.among(interfaces)
	p.packets(f)
	p.label(accept)
	p.add(bpf.RetConstant{Val: snap})
	p.label(reject)
	p.add(bpf.RetConstant{})
	return bpf.Assemble(p.resolved())
}

func (p *program) onceFromLoopback() {
	p.add(bpf.LoadExtension{Num: bpf.ExtLinkLayerType})
	p.unless(arphrdLoopback, "once")
	p.add(bpf.LoadExtension{Num: bpf.ExtType})
	p.when(packetOutgoing, reject)
	p.label("once")
}

func (p *program) among(interfaces []uint32) {
	if len(interfaces) == 0 {
		return
	}
	p.add(bpf.LoadExtension{Num: bpf.ExtInterfaceIndex})
	for _, i := range interfaces {
		p.when(i, "among")
	}
	p.jump(reject)
	p.label("among")
}

func (p *program) packets(f *Filter) {
	if f.empty() {
		return
	}
	p.add(p.protocol)
	p.when(etherIPv4, "IPv4")
	p.when(etherIPv6, "IPv6")
	for _, t := range tagged {
		p.when(t, accept)
	}
	p.jump(reject)
	p.label("IPv4")
	p.ipv4(f)
	p.label("IPv6")
	p.ipv6(f)
}

// ipv4 judges a packet by its header (RFC 791, section 3.1).
func (p *program) ipv4(f *Filter) {
	if len(f.Ports) > 0 {
		p.load(9, 1) // protocol
		p.unless(tcp, reject)
	}
	p.addresses(f, 12, 4)
	if len(f.Ports) == 0 {
		p.jump(accept)
		return
	}
	p.load(6, 2) // flags and fragment offset
	p.add(bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: 0x1fff, SkipTrue: 1})
	p.jump(accept)
	p.add(bpf.LoadMemShift{Off: p.net}) // X = length of the header
	p.ports(f, 0)
}

// ipv6 judges a packet by its header (RFC 8200, section 3).
func (p *program) ipv6(f *Filter) {
	p.addresses(f, 8, 16)
	if len(f.Ports) == 0 {
		p.jump(accept)
		return
	}
	p.load(6, 1) // next header
	for _, e := range extensions {
		p.when(e, accept)
	}
	p.unless(tcp, reject)
	p.add(bpf.LoadConstant{Dst: bpf.RegX})
	p.ports(f, 40)
}

// addresses rejects a packet of which neither the source address, at offset at
// of the IP header, nor the destination behind it, both of size bytes, is wanted.
func (p *program) addresses(f *Filter, at uint32, size int) {
	if len(f.Nets) == 0 {
		return
	}
	found := p.fresh()
	for _, n := range f.Nets {
		if n.Addr().BitLen() == 8*size {
			p.address(n, at, found)
			p.address(n, at+uint32(size), found)
		}
	}
	p.jump(reject)
	p.label(found)
}

// address jumps to found if the address at this offset lies in n, which is
// compared in words of 32 bits.
func (p *program) address(n netip.Prefix, at uint32, found string) {
	other := p.fresh()
	bytes := n.Masked().Addr().AsSlice()
	for bits := n.Bits(); bits > 0; bits -= 32 {
		mask := ^uint32(0)
		if bits < 32 {
			mask <<= 32 - bits
		}
		p.load(at, 4)
		p.add(bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: mask})
		p.unless(binary.BigEndian.Uint32(bytes), other)
		at, bytes = at+4, bytes[4:]
	}
	p.jump(found)
	p.label(other)
}

// ports accepts a packet of a wanted port, X + at bytes behind the IP header's
// start (RFC 9293, section 3.1: source port, destination port).
func (p *program) ports(f *Filter, at uint32) {
	for side := range uint32(2) {
		p.add(bpf.LoadIndirect{Off: p.net + at + 2*side, Size: 2})
		for _, port := range f.Ports {
			p.when(uint32(port), accept)
		}
	}
	p.jump(reject)
}
