package slice

import (
	"bytes"
	"iter"
	"path/filepath"
	"strconv"

	"pulsar-dissect/capture"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/rewrite/conns"
	"pulsar-dissect/rewrite/pcapng"
)

// Fragments of IP packets that may yet be wanted.
const (
	heldFragments     = 4096
	heldFragmentBytes = 16 << 20
)

// handshakePackets is how many packets of a connection are its TCP handshake.
const handshakePackets = 3

// Counts says what was copied.
type Counts struct {
	Packets, Of uint64 // written, read
	Connections int
	Bytes       int64
}

// copier copies the wanted packets.
type copier struct {
	picker     *Picker
	parser     *segment.Parser
	out        *pcapng.Writer
	files      []string
	conns      conns.Index
	seen       map[*connection]int
	interfaces map[iface]uint32
	fragments  []fragment
	held       int
	counts     Counts
}

// iface is what stands for an interface in a file.
type iface struct {
	file int
	link capture.LinkType
}

// fragment is part of an IP packet that is not whole yet.
type fragment struct {
	from, to [16]byte
	packet   capture.Packet
}

// Copy writes the packets that are wanted. files are the names by Packet.File.
// An error of packets ends it; one of the writer is that of out.
func (p *Picker) Copy(packets iter.Seq2[capture.Packet, error], files []string, l segment.Limits, out *pcapng.Writer) (Counts, error) {
	c := &copier{picker: p, parser: segment.NewParser(l), out: out, files: files,
		seen: map[*connection]int{}, interfaces: map[iface]uint32{}}
	for _, x := range p.conns {
		if x.wanted {
			c.counts.Connections++
			c.conns.Add(x.tcp)
		}
	}
	var failed error
	for packet, err := range packets {
		if err != nil {
			failed = err
			continue
		}
		c.counts.Of++
		if err := c.packet(&packet); err != nil {
			return c.counts, err
		}
	}
	c.counts.Bytes = out.Written()
	return c.counts, failed
}

// packet writes a packet, if it is wanted, behind the fragments that belong to it.
func (c *copier) packet(p *capture.Packet) error {
	var s segment.Segment
	switch why := c.parser.Parse(p, &s); {
	case why == segment.FragmentPending:
		c.hold(p, &s)
		return nil
	case !c.wanted(p, &s, why == segment.OK):
		return nil
	}
	for _, f := range c.fragments {
		if f.from == s.Source.Addr && f.to == s.Destination.Addr {
			if err := c.write(&f.packet); err != nil {
				return err
			}
		}
	}
	if len(c.fragments) > 0 {
		c.fragments, c.held = c.fragments[:0], 0
	}
	return c.write(p)
}

// hold keeps a fragment until its packet is whole.
func (c *copier) hold(p *capture.Packet, s *segment.Segment) {
	if len(c.fragments) >= heldFragments || c.held+len(p.Data) > heldFragmentBytes {
		c.fragments, c.held = c.fragments[:0], 0
	}
	f := fragment{s.Source.Addr, s.Destination.Addr, *p}
	f.packet.Data = bytes.Clone(p.Data)
	c.held += len(p.Data)
	c.fragments = append(c.fragments, f)
}

func (c *copier) wanted(p *capture.Packet, s *segment.Segment, isTCP bool) bool {
	if _, ok := c.picker.packets[p.Number]; ok {
		return true
	}
	if !isTCP {
		return false
	}
	tcp, side := c.conns.Find(p.Number, s)
	if tcp == nil {
		return false
	}
	x := c.picker.conns[tcp.ID]
	c.seen[x]++
	return x.has(p.Number, s, side, c.seen[x])
}

// has says whether a segment of the connection, the n-th, is wanted: those that
// open and end it are.
func (x *connection) has(number uint64, s *segment.Segment, side reassembly.Side, n int) bool {
	if x.whole || s.Flags&(segment.SYN|segment.FIN|segment.RST) != 0 || n <= handshakePackets && s.Length == 0 {
		return true
	}
	return s.Length > 0 && (x.ranges[side].has(number) || x.openings[side].has(number))
}

func (c *copier) write(p *capture.Packet) error {
	k := iface{p.File, p.Link}
	id, ok := c.interfaces[k]
	if !ok {
		id = uint32(len(c.interfaces))
		c.interfaces[k] = id
		if err := c.out.Interface(p.Link, filepath.Base(c.files[p.File])); err != nil {
			return err
		}
	}
	c.counts.Packets++
	return c.out.Packet(id, p, c.comment(p.Number))
}

// comment says why a packet is wanted, where that has a name, and what its number
// was.
func (c *copier) comment(number uint64) string {
	why := c.picker.comments[number]
	if why == "" {
		why = c.picker.packets[number]
	}
	if why == "" {
		return ""
	}
	return why + " (packet " + strconv.FormatUint(number, 10) + ")"
}
