// Package traffic makes large captures out of small real ones, for benchmarks.
//
// In come the connections of a capture: what each side sent in turn. Out go the
// same again and again over connections of their own, with other addresses, ports
// and topics, cut into segments of a chosen size with right checksums; packets may
// come late or be lacking. The same Shape gives the same bytes.
package traffic
