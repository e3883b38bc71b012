// Command bench measures pulsar-dissect on large captures.
//
// It makes its inputs from real captures in testdata: the streams of their
// connections, repeated with new addresses and ports, cut into segments of a
// chosen size, with right checksums. Then it runs the built binary on each, on
// one core, and prints bytes and frames per second and the peak memory.
//
//	go run ./bench [-binary bin/pulsar-dissect] [-dir bench/data] [-only NAME] [-runs 3] [-scale 1.0]
package main
