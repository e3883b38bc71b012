// Package live captures packets from the interfaces of a Linux machine.
//
// In: names of interfaces, or "any", and which packets are wanted. Out: an
// iterator of capture.Packet, as files give them, in the order of the kernel's
// ring; and counts of what was lost. Interfaces that go down, come back or
// vanish, and packets that the kernel had no room for, are news (Options.Tell).
//
// One packet socket (packet(7), AF_PACKET) serves all interfaces: bound to the
// one that is named, or to none with a filter for several. So there is one order
// and nothing to merge. The kernel writes packets into blocks of a ring that it
// shares with this process (TPACKET_V3, Documentation/networking/packet_mmap.rst
// of the kernel). The ring is the queue between capture and all that follows: the
// kernel never waits, and counts what finds no room. No packet is copied.
//
//	interfaces  which there are, what they count, and news of them (rtnetlink(7))
//	filter      ports, addresses and interfaces as a program for the kernel
//	socket      the packet socket and its options
//	ring        the blocks that the kernel fills
//	frame       one packet in a block: header, address, VLAN tag
//	source      the loop over packets
//	rights      what is missing where capture is not permitted
//
// Packet.Data is borrowed until the next pull. To be changed here: how packets
// get from the kernel into the program; what they mean is told further on.
package live
