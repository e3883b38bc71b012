// Package slice cuts a few connections, or a few frames of them, out of captures.
//
// In: the events of a run, to say what is wanted (Picker), then the packets once
// more. Out: the packets that have the wanted bytes, with what it takes to read
// them: the TCP handshake and the end of their connections, the commands that
// opened them and their producers and consumers, and the frame behind each wanted
// one, by which a reader knows where that begins.
//
//	picker   which packets are wanted
//	copy     writes them
//
// A TLS connection is wanted as a whole: its records cannot be opened without
// those before them.
//
// To be changed here: what goes with a frame.
package slice
