//go:build linux

// Command soak keeps the binary busy for a long time and looks at what that does to
// its memory, and at what packet rate nothing is lost.
//
// In comes a capture of testdata, which internal/traffic repeats without end, each
// time over connections and topics of its own. It goes to "sniff -" through a pipe,
// or as packets through a pair of veth interfaces to "sniff -i". Out come, as rows of
// a table at intervals: packets read, packets lost by the kernel, resident memory and
// threads; at the end the number of goroutines, which the Go runtime lists when it is
// told to quit.
//
//	go run ./bench/soak [-live] [-for 40m] [-every 1m] [-rate 20000] [-flags "-o json"]
//
// With -live it needs the rights CAP_NET_RAW and CAP_NET_ADMIN, and "ip".
package main
