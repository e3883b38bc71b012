package segment

import (
	"path/filepath"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"pulsar-dissect/capture"
)

// decoders are the link types that gopacket knows by our numbers.
var decoders = map[capture.LinkType]gopacket.Decoder{
	0: layers.LinkTypeNull, 1: layers.LinkTypeEthernet, 101: layers.LinkTypeRaw,
	108: layers.LinkTypeLoop, 113: layers.LinkTypeLinuxSLL, 228: layers.LinkTypeIPv4, 229: layers.LinkTypeIPv6,
}

// disagreed are captures where gopacket is known to differ in length.
var disagreed = map[string]string{
	"tcpdump__bigtcp-ipv4-vxlan-ipv4.pcap": "its IPv4 length 0 stands for 80,052 bytes, of which 16 bits are kept there",
	"zeek__pppoe-over-qinq.pcap":           "PPPoE states 6 bytes less than IP; the TCP checksum is right with IP's length",
}

// lastTCP is the innermost TCP header that gopacket finds, nil if it finds none
// or stumbles.
func lastTCP(pkt *capture.Packet) (found *layers.TCP) {
	decoder := decoders[pkt.Link]
	if decoder == nil {
		return nil
	}
	p := gopacket.NewPacket(pkt.Data, decoder, gopacket.DecodeOptions{NoCopy: true})
	if p.ErrorLayer() != nil {
		return nil
	}
	for _, l := range p.Layers() {
		if tcp, ok := l.(*layers.TCP); ok {
			found = tcp
		}
	}
	return found
}

// TestSecondOpinion: whatever gopacket takes for TCP must look the same here.
func TestSecondOpinion(t *testing.T) {
	compared := 0
	for _, folder := range []string{"captures", "thirdparty"} {
		paths, _ := filepath.Glob(filepath.Join(shared(t, folder), "*.pcap"))
		for _, path := range paths {
			if disagreed[filepath.Base(path)] != "" {
				continue
			}
			p := NewParser(Limits{})
			for _, pkt := range readCapture(t, path) {
				var out Segment
				why := p.Parse(&pkt, &out)
				tcp := lastTCP(&pkt)
				if tcp == nil || pkt.OrigLen != len(pkt.Data) {
					continue
				}
				compared++
				if why != OK || !same(tcp, &out) {
					t.Errorf("%s, packet %d: %v, %v > %v, sequence %d, %d bytes; gopacket has %d > %d, %d, %d",
						filepath.Base(path), pkt.Number, why, out.Source, out.Destination, out.Sequence, len(out.Data),
						tcp.SrcPort, tcp.DstPort, tcp.Seq, len(tcp.Payload))
				}
			}
		}
	}
	if compared < 50000 {
		t.Errorf("only %d packets were compared", compared)
	}
}

func same(tcp *layers.TCP, s *Segment) bool {
	return uint16(tcp.SrcPort) == s.Source.Port && uint16(tcp.DstPort) == s.Destination.Port &&
		tcp.Seq == s.Sequence && tcp.Ack == s.Acknowledgement && tcp.Window == s.Window &&
		tcp.SYN == (s.Flags&SYN != 0) && tcp.FIN == (s.Flags&FIN != 0) && tcp.RST == (s.Flags&RST != 0) &&
		tcp.ACK == (s.Flags&ACK != 0) && tcp.PSH == (s.Flags&PSH != 0) && string(tcp.Payload) == string(s.Data)
}
