// Package pcapng writes pcapng (draft-ietf-opsawg-pcapng): one section, in
// little-endian byte order, with times in ns.
//
// In: packets as package capture gives them, with what is known of their
// interfaces. Out: blocks on an io.Writer. Nothing is kept; each call is one block
// and one Write.
//
// gopacket's pcapgo.NgWriter is not used: its link types have 8 bits, and it
// writes no comments. Tests read the blocks back with package capture and with
// pcapgo.
package pcapng
