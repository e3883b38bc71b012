// Command bench measures pulsar-dissect on large captures.
//
// In come captures of testdata, which internal/traffic repeats until they are
// large (bench/data). Each input is read by all programs of the table in turn, a
// few times round, so that what else the machine does meets all of them: the built
// binary with different commands, a bare read with CRC-32C of everything as the
// bound, and tshark where it is installed. Out go bytes and frames per second of
// CPU time on one core, peak memory, and ratios; the same as JSON.
//
//	go run ./bench [-binary bin/pulsar-dissect] [-dir bench/data] [-only NAME] [-runs 3] [-scale 1.0]
//
// A new input is a row in inputs.go, a new run one in subjects.go.
package main
