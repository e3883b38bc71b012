package capture

// Every buffer of this package has its limit here.
const (
	// readBufferSize is what one read(2) asks for, in bytes. Of many files
	// merged at once each gets less, see readBufferFor.
	readBufferSize = 1 << 20
	// minReadBufferSize is the least that a file gets, in bytes.
	minReadBufferSize = 64 << 10
	// readBuffersTotal is what all files that are open at once share, in bytes.
	readBuffersTotal = 64 << 20

	// aheadBlocks is how many read buffers are decompressed ahead.
	aheadBlocks = 3
	// maxZstdWindow is the largest window of a zstd stream, in bytes: that of
	// zstd --long=31. Memory is taken as it is filled.
	maxZstdWindow = 1 << 31

	// maxCaptured is the largest capture length of one packet, and the largest
	// pcapng block, that is believed, in bytes. Snap lengths end at 256 KiB and
	// the largest segments that a card hands up at 512 KiB.
	maxCaptured = 16 << 20
	// usualCaptured is the largest snap length that capture tools set, in
	// bytes. A longer packet needs the record after it as a witness.
	usualCaptured = 256 << 10
	// resyncDistance is how far plausible records are looked for after a header
	// that makes no sense, in bytes.
	resyncDistance = 4 << 20

	// maxInterfaces is how many interfaces of one pcapng section are kept.
	maxInterfaces = 1 << 16
	// maxSecrets is what is kept of Decryption Secrets Blocks of all files, in bytes.
	maxSecrets = 64 << 20
	// maxWarnings is how many warnings one file may give; the rest is counted.
	maxWarnings = 20

	// maxReorderPackets and maxReorderBytes bound what Options.Reorder holds
	// back; beyond them the earliest packets are let go before their time.
	maxReorderPackets = 1 << 18
	maxReorderBytes   = 128 << 20
)

// readBufferFor gives the size of the read buffer of each of n files that are
// open at once.
func readBufferFor(n int) int {
	return min(readBufferSize, max(minReadBufferSize, readBuffersTotal/max(n, 1)))
}
