// Package wire walks the protobuf bytes of a command or of metadata, once, and
// shows what it found with many faces.
//
// In: bytes and a Table compiled from the schema. Out: a Walk: one Node per
// field as it stands on the wire (name, value, byte range), issues (what a
// protobuf library would hide: unknown fields, wrong wire types, missing
// required fields, ...), typed access by field number, JSON and text.
//
// A Walk is made to be reused; its nodes and issues are valid until the next
// Parse, and as long as the bytes are. Nothing is allocated once it has grown
// to the size of its largest input.
//
// Rules of the encoding: https://protobuf.dev/programming-guides/encoding/.
// To change: a message to be walked is one line in tables.go; a face is a file
// of its own over Walk.Nodes.
package wire
