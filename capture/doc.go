// Package capture reads captures: files (pcap, pcapng, each also compressed),
// standard input, several files merged by time.
//
// In: paths. Out: an iterator of Packet, in reading order, numbered from 1
// over the whole run. The error slot of the iterator is for our own I/O and
// for containers that break; everything readable before the fault has been
// given out by then.
//
// Packet.Data is borrowed until the next pull.
//
// The package knows nothing of TCP or Pulsar. A new container is one file and
// one row in the table of formats.
package capture
