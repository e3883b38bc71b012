package endtoend

// Limits of what is read and held.
const (
	largestFile = 64 << 10 // bytes of a key file
	mostKeys    = 1000     // private keys in all
	mostNames   = 16       // recipients of an entry that are looked at
	mostCached  = 4096     // wrapped data keys whose outcome is remembered
	mostTried   = 8        // attempts that an error names
	longestName = 64       // bytes of a key name that an error shows
)
