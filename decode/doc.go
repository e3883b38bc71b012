// Package decode cuts the streams of a connection into Pulsar frames and reads
// them: sizes, command, broker entry metadata, checksum, message metadata, and
// the messages of an entry. Streams between a broker and a bookie it cuts into
// their frames, whose entries are read as those of a SEND are.
//
// In: the events of reassembly. Out: an iterator of Event: frames in the order
// of their packets, PROXY prefaces, gaps, skipped bytes, the end of each
// connection with the protocol that it turned out to speak. Damage on the wire
// is news, not an error.
//
// Pulsar and BookKeeper (package bookie) are told by content. After a gap the next frame is found by search and
// confirmed by the frames that follow it.
//
// A Frame and all its slices are borrowed: valid until the next pull.
//
// The package looks at one connection at a time and knows nothing of requests
// and answers. A new command needs no change here: commands are read by the
// schema's tables (package wire).
package decode
