package live

import "time"

// Every buffer of this package has its limit here.
const (
	// DefaultBuffer is the size of the ring, in bytes: what the kernel keeps
	// while the program is busy, or waits for who reads its output.
	DefaultBuffer = 64 << 20

	// blockSize is that of a block of the ring, in bytes. A packet larger than a
	// block is cut; cards and the loopback interface make up to 512 KiB of one (BIG
	// TCP), most of them up to 64 KiB.
	blockSize = 512 << 10
	minBlocks = 4
	// blockTimeout is how long a packet stays in a block that is not full. Each
	// block that is closed early takes its room all the same: a ring of 64 MiB
	// holds at least 128 times this much time.
	blockTimeout = 20 * time.Millisecond

	// DefaultSnap is how many bytes of a packet are kept.
	DefaultSnap = blockSize

	// statsInterval is how often the kernel's counts are read.
	statsInterval = time.Second
	// maxNewsSize is the largest message of the kernel about interfaces, in bytes.
	maxNewsSize = 64 << 10
	// lossInterval is how often it is told that packets were lost.
	lossInterval = 10 * time.Second
	// maxInterfaces is how many interfaces are told apart; packets of further ones
	// count as those of the last.
	maxInterfaces = 4096
)
