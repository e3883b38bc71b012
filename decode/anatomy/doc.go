// Package anatomy explains bytes: every field of a frame, a command, metadata,
// an entry or an id, with the bytes that it stands in.
//
// In: a frame as the decoder gives it, or bytes from anywhere, which Guess tells
// apart. Out: an Anatomy: a tree of Parts over the bytes, and over those that
// come out of them by decryption and decompression, each a Buffer of its own.
// Damage is told where it is, and what can be read is read.
//
// An Anatomy borrows the bytes that it was made of. It is made for one frame
// that a person looks at, and is no part of the way that every frame takes.
//
// To change: what a value means is a row in meanings.go, a form of bytes that can
// be told is a row in forms.go.
package anatomy
