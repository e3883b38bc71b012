package capture

// doubt is a set of reasons to think that the bytes at hand are no record header.
type doubt uint8

const (
	tooLong       doubt = 1 << iota // longer than any usual snap length
	overFull                        // more captured than there was
	badFraction                     // a second or more beyond the second
	timeJump                        // further than timeDistance from the record before
	emptyOriginal                   // nothing on the wire
)

// timeDistance is how far times of neighbours may lie apart without doubt, in seconds.
const timeDistance = 366 * 24 * 3600
