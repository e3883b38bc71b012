package capture

// LinkType is a LINKTYPE_ number as pcap files and pcapng interface blocks
// carry it (https://www.tcpdump.org/linktypes.html). gopacket's own type has
// 8 bits and would read SLL2 (276) as 20.
type LinkType uint32

// Packet is one captured packet. Data is borrowed: it is valid until the next
// packet is pulled from the source; who keeps it copies it.
type Packet struct {
	Number      uint64   // counted from 1 over the whole run, in reading order
	Time        int64    // ns since the Unix epoch
	TimeUnknown bool     // the container gave no time: Time is that of the packet before it
	File        int      // index into Source.Files
	Link        LinkType // link type of Data
	Interface   uint32   // of the file's section or of the live source, from 0
	Data        []byte   // captured bytes, at most OrigLen unless the container lies
	OrigLen     int      // bytes the packet had on the wire
	FileEnds    bool     // the file ends inside the packet: no snap length has cut what lacks
}
