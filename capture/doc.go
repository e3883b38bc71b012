// Package capture reads captures: files (pcap and pcapng, plain or compressed),
// standard input, several files merged by time.
//
// In: paths. Out: an iterator of Packet, in reading order, numbered from 1 over
// the whole run. The error slot of the iterator is for our own I/O and for
// containers that break; everything readable before the fault has been given
// out by then. What leaves the packets around it sound, such as a tail cut off
// where the capturing program was killed, is a Warning.
//
// Packet.Data is borrowed until the next pull.
//
// The bytes go through these hands, each in a file of its own:
//
//	input     one file: opened, counted, closed
//	codec     its compression, told by content; ahead decompresses beforehand
//	window    the bytes as one slice that slides forward
//	format    its container, told by content: pcap, pcapng
//	merge     several files by time, each in its own order
//	reorder   packets by time within a window
//
// A header that makes no sense is judged by what follows it (pcap_doubt,
// pcapng_doubt, resync): where records begin again the file is damaged in the
// middle, which is an error; where nothing does, its tail is garbage. The
// package believes no stated size before the bytes are there. limits.go has
// every limit.
//
// Records are walked here and not by gopacket's pcapgo because that (v1.1.19)
// keeps 8 of the 16 bits of a link type, refuses packets longer than the snap
// length, reads time stamp resolutions wrong, allocates what a header claims,
// and does not say at which byte a file breaks. Tests hold both against each other.
//
// The package knows nothing of TCP or Pulsar. A new container is one file and
// one row in the table of formats, a new compression a row in the table of
// codecs, a file that is often taken for a capture a row in the table of looks.
package capture
