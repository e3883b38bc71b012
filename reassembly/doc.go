// Package reassembly puts TCP streams together (RFC 9293): per connection and
// direction, bytes in order.
//
// In: captured packets. Out: an iterator of Event: a connection opens, data in
// order, a gap (bytes that the capture does not have), a conflict (overlapping
// segments with other bytes), the end of a connection. The error slot passes
// on the source's own errors; what the wire did wrong is an event.
//
// Where segments overlap, the bytes captured first stay. A segment with a
// wrong checksum only fills holes that no other fills. A hole is given up some
// packets after the peer acknowledged its bytes (Limits.AckedHoldTime), when it
// has been open for Limits.HoldTime of packet time, when a memory limit is hit,
// and at the end of the connection; nothing waits for ever. What a release depends on
// is only the connection's own packets and packet time.
//
// gopacket's own reassembly is not used: version 1.1.19 loses data where
// sequence numbers wrap at 2^32, and its buffers have no limit by default.
//
// Event.Data is borrowed: valid until the next pull; who keeps it copies it.
// The package knows nothing of Pulsar. To be changed here: when a hole is
// given up, what a connection is, and the limits.
package reassembly
