// Package segment finds the TCP segment in a packet: link layer and tunnels
// (by capture/link), IPv4 and IPv6 with extension headers and fragments, the
// TCP header and its checksum.
//
// In: capture.Packet, one by one in reading order. Out: Segment, or the Reason
// why there is none. Bytes of a Segment are borrowed, from the packet or from the
// parser's buffer of fragments, until the next call.
//
// Each packet is read on its own but for fragments, which are copied and kept
// within Limits; what is given up is counted in Stats. Nothing is allocated for
// a packet that is no fragment. Whatever the bytes hold, the answer is a Reason.
//
// What may be changed here: a new extension header is a case in
// ip6.go; link types and tunnels belong to capture/link; what a connection is,
// and what to do with a wrong checksum, to the package that takes the segments.
package segment
