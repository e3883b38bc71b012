package scrub

import (
	"bytes"
	"encoding/binary"
	"iter"
	"net/netip"

	"pulsar-dissect/capture"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/rewrite/pcapng"
)

// Counts says what was written.
type Counts struct {
	Packets, Of uint64 // written, read
}

// ethernet is LINKTYPE_ETHERNET.
const ethernet capture.LinkType = 1

// copier writes the packets.
type copier struct {
	*Streams
	parser *segment.Parser
	out    *pcapng.Writer
	places map[streamOf]int64 // where the streams stand
	vlans  map[uint64]uint16  // numbers of networks that are told apart
	counts Counts
}

// Copy writes the packets with the new streams. An error of packets is given at
// the end.
func (s *Streams) Copy(packets iter.Seq2[capture.Packet, error], l segment.Limits, out *pcapng.Writer) (Counts, error) {
	c := &copier{Streams: s, parser: segment.NewParser(l), out: out, places: map[streamOf]int64{}, vlans: map[uint64]uint16{}}
	if err := s.spool.sort(); err != nil {
		return c.counts, err
	}
	if err := out.Interface(ethernet, ""); err != nil {
		return c.counts, err
	}
	var failed error
	for p, err := range packets {
		if err != nil {
			failed = err
			continue
		}
		c.counts.Of++
		if err := c.packet(&p); err != nil {
			return c.counts, err
		}
	}
	return c.counts, failed
}

func (c *copier) packet(p *capture.Packet) error {
	var s segment.Segment
	if c.parser.Parse(p, &s) != segment.OK {
		return nil
	}
	data := bytes.Clone(s.Data)
	if err := c.replace(data, p.Number, &s); err != nil {
		return err
	}
	frame := c.frame(&s, data)
	packet := capture.Packet{Time: p.Time, Data: frame, OrigLen: len(frame) + s.Length - len(s.Data)}
	c.counts.Packets++
	return c.out.Packet(0, &packet, "")
}

// replace overwrites the bytes of a segment with those of its new stream.
func (c *copier) replace(data []byte, number uint64, s *segment.Segment) error {
	conn, side := c.conns.Find(number, s)
	if conn == nil {
		mask(data)
		return nil
	}
	of := streamOf{conn.ID, side}
	origin, ok := conn.Origin(side)
	if !ok {
		mask(data)
		return nil
	}
	first := s.Sequence
	if s.Flags&segment.SYN != 0 {
		first++
	}
	offset := near(origin, first, c.places[of])
	c.places[of] = max(c.places[of], offset+int64(len(data)))
	return c.spool.read(of, offset, data, c.missing(of))
}

// Sizes of headers, in bytes.
const (
	ethernetHeader = 14
	vlanHeader     = 4
	ip4Header      = 20
	ip6Header      = 40
	tcpHeader      = 20

	typeVLAN = 0x8100
	typeIP4  = 0x0800
	typeIP6  = 0x86dd
	tcp      = 6
	hops     = 64
	mostVLAN = 4094
)

// frame makes an Ethernet frame of a segment with these bytes.
func (c *copier) frame(s *segment.Segment, data []byte) []byte {
	from, to := c.address(s.Source), c.address(s.Destination)
	b := make([]byte, ethernetHeader-2, ethernetHeader+vlanHeader+ip6Header+tcpHeader+len(data))
	if s.Tag != 0 {
		b = binary.BigEndian.AppendUint16(b, typeVLAN)
		b = binary.BigEndian.AppendUint16(b, c.vlan(s.Tag))
	}
	if from.Is4() {
		b = appendIP4(binary.BigEndian.AppendUint16(b, typeIP4), from, to, tcpHeader+s.Length)
	} else {
		b = appendIP6(binary.BigEndian.AppendUint16(b, typeIP6), from, to, tcpHeader+s.Length)
	}
	at := len(b)
	b = append(appendTCP(b, s), data...)
	binary.BigEndian.PutUint16(b[at+tcpChecksum:], checksumLike(s, pseudo(from, to, tcpHeader+s.Length), b[at:]))
	return b
}

func (c *copier) address(e segment.Endpoint) netip.Addr { return c.names.address(e.AddrPort().Addr()) }

// vlan numbers the networks around segments.
func (c *copier) vlan(tag uint64) uint16 {
	if n, ok := c.vlans[tag]; ok {
		return n
	}
	n := uint16(len(c.vlans)%mostVLAN + 1)
	c.vlans[tag] = n
	return n
}

func appendIP4(b []byte, from, to netip.Addr, length int) []byte {
	at := len(b)
	total := ip4Header + length
	if total > 0xffff {
		total = 0 // left to the network card: the packet's own length counts
	}
	b = append(b, 0x45, 0)
	b = binary.BigEndian.AppendUint16(b, uint16(total))
	b = append(b, 0, 0, 0x40, 0, hops, tcp, 0, 0) // not to be fragmented
	b = append(append(b, from.AsSlice()...), to.AsSlice()...)
	binary.BigEndian.PutUint16(b[at+10:], ^sum(0, b[at:]))
	return b
}

func appendIP6(b []byte, from, to netip.Addr, length int) []byte {
	if length > 0xffff {
		length = 0
	}
	b = append(b, 0x60, 0, 0, 0)
	b = binary.BigEndian.AppendUint16(b, uint16(length))
	b = append(b, tcp, hops)
	return append(append(b, from.AsSlice()...), to.AsSlice()...)
}

const tcpChecksum = 16 // offset in the TCP header, bytes

func appendTCP(b []byte, s *segment.Segment) []byte {
	b = binary.BigEndian.AppendUint16(b, s.Source.Port)
	b = binary.BigEndian.AppendUint16(b, s.Destination.Port)
	b = binary.BigEndian.AppendUint32(b, s.Sequence)
	b = binary.BigEndian.AppendUint32(b, s.Acknowledgement)
	b = append(b, tcpHeader/4<<4, s.Flags)
	b = binary.BigEndian.AppendUint16(b, s.Window)
	return append(b, 0, 0, 0, 0)
}

// pseudo is the sum of the pseudo header (RFC 9293, section 3.1).
func pseudo(from, to netip.Addr, length int) uint32 {
	s := uint32(sum(0, from.AsSlice()))
	s = uint32(sum(s, to.AsSlice()))
	return s + tcp + uint32(length&0xffff) + uint32(length>>16)
}

// checksumLike gives the checksum of a TCP segment that is right, wrong or left to
// the network card as that of s was.
func checksumLike(s *segment.Segment, pseudo uint32, b []byte) uint16 {
	partial := sum(pseudo, nil)
	right := ^sum(pseudo, b)
	switch s.Checksum {
	case segment.Right:
		return right
	case segment.Wrong:
		wrong := right ^ 0x5555
		if wrong == 0 || wrong == partial {
			wrong ^= 0x1111
		}
		return wrong
	}
	return partial
}

// sum adds b to a one's complement sum as big-endian 16-bit words (RFC 1071).
func sum(s uint32, b []byte) uint16 {
	total := uint64(s)
	for ; len(b) >= 2; b = b[2:] {
		total += uint64(binary.BigEndian.Uint16(b))
	}
	if len(b) == 1 {
		total += uint64(b[0]) << 8
	}
	for total > 0xffff {
		total = total>>16 + total&0xffff
	}
	return uint16(total)
}
