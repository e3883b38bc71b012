// Package segment finds the TCP segment in a packet: link layer and tunnels
// (by capture/link), IPv4 and IPv6 with extension headers and fragments, the
// TCP header and its checksum.
//
// In: capture.Packet. Out: Segment, or the reason why there is none. Bytes of
// a Segment are borrowed until the next call.
package segment
