// Package wiremake makes what the tests of other packages read: frames of the
// protocol, TCP segments in IP packets, and captures of them.
//
// In: commands and metadata as the schema's types, what each side of a
// connection sends and in which order it is captured. Out: bytes and packets
// that are right unless the caller asks for a fault.
//
// It is for tests alone. It shares no code with what it tests: frames are
// written by the protobuf library, headers byte by byte. Its own tests send
// what it makes, whole, damaged and at random, through the whole pipeline.
package wiremake
