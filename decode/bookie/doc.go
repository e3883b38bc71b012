// Package bookie reads what a broker and a bookie say to each other: the two
// protocols of BookKeeper that are in use, version 2 (a fixed binary layout,
// what brokers speak by default) and version 3 (protobuf).
//
// In: the bytes of one direction of a connection, at a frame. Out: Look tells
// whether a frame begins there, Search where the next one begins, and a Reader
// gives the Packet: operation, ids, return code, the entries that travel in it
// with their digest. What is inside an entry is for the caller.
//
// All slices of a Packet are borrowed: from the bytes that were read, and from
// the Reader until its next Read. Numbers on the wire are big-endian.
//
// The layouts are those of section BookKeeper of the protocol; operations and
// return codes are rows of tables. To change: version 3 by its schema
// (proto/bookkeeper.proto), version 2 by a row of layouts in version2.go.
package bookie
