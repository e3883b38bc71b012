package main

// input is one capture to be made.
type input struct {
	name     string
	source   string // real capture whose connections are repeated
	segment  int    // payload bytes of a segment at most; 0: one frame a segment
	megabyte int    // size of the capture to reach, in 10^6 bytes, at scale 1
}

// inputs are the shapes of traffic that are measured.
var inputs = []input{
	{name: "large-1448", source: "testdata/captures/tso-bigmsgs/tso-bigmsgs.pcap", segment: 1448, megabyte: 1000},
	{name: "large-64k", source: "testdata/captures/tso-bigmsgs/tso-bigmsgs.pcap", segment: 64000, megabyte: 1000},
	{name: "small-dense", source: "testdata/captures/load-small-head/load-small-head.pcap.zst", segment: 1448, megabyte: 200},
	{name: "small-single", source: "testdata/captures/load-small-head/load-small-head.pcap.zst", segment: 0, megabyte: 300},
	{name: "connections", source: "testdata/captures/base/base.pcap", segment: 1448, megabyte: 100},
	{name: "batches", source: "testdata/captures/go-batch-codecs/go-batch-codecs.pcap", segment: 1448, megabyte: 100},
}
