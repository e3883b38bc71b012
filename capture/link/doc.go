// Package link finds the IP packet inside what was captured.
//
// In: a link type and the bytes of a packet (Network), or the payload of an IP
// packet that may be a tunnel (Tunnel). Out: the inner IP packet, the network
// it belongs to (a tag made of VLAN ids and virtual network identifiers), or
// the Reason why there is none. An unknown link type is named, never guessed.
//
// Every result is a part of the bytes given in; nothing is copied, allocated
// or kept. Trailing padding and frame check sequences stay in the result: the
// length in the IP header is what tells them from data.
//
// Each link type, tag and tunnel is one file and one row of a table:
//
//	linktypes.go   link types by LINKTYPE_ number
//	ethertypes.go  what follows, by EtherType; every header names its successor so
//	tunnels.go     tunnels by IP protocol or UDP port
//
// A new one is a function that strips one header, and its row. The numbers
// are those of https://www.tcpdump.org/linktypes.html and of the IANA registries
// of IEEE 802 numbers, protocol numbers and port numbers.
package link
