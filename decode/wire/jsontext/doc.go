// Package jsontext writes JSON values by appending to a byte slice.
//
// In: bytes as they came from the wire. Out: valid JSON in valid UTF-8,
// whatever they hold, without control characters that a terminal obeys
// (RFC 8259 asks for C0 only; DEL and C1 are escaped as well). Nothing is
// allocated but by append.
//
// The place for how a type of value looks in JSON; which fields there are is
// said elsewhere.
package jsontext
