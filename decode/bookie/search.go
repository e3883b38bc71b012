package bookie

// searchedSize is the largest frame, in bytes, that a search finds: brokers and
// bookies take 5 MiB by default.
const searchedSize = 8 << 20

// Search finds the first position in b, from a position on, at which a frame
// begins that another one follows. Unless final, a candidate that more bytes
// may confirm is waited for: then at is -1, and next is where to go on. It is
// for bytes from the middle of a stream of a bookie, not to tell whether it is
// one.
func (l *Looker) Search(b []byte, from int, final bool) (at, next int) {
	for p := from; p+sizeLength+sizeHeader <= len(b); p++ {
		if v := b[p+sizeLength]; v != version2 && v != headerTag {
			continue
		}
		switch l.confirmed(b[p:], final) {
		case Whole:
			return p, p
		case Short:
			if !final {
				return -1, p
			}
		}
	}
	return -1, max(from, len(b)-(sizeLength+sizeHeader)+1)
}

// confirmed says whether a frame surely begins with b: Whole if so, Short where
// more bytes may tell. At the end of all bytes a whole frame suffices.
func (l *Looker) confirmed(b []byte, final bool) Sight {
	what, size, _ := l.Look(b)
	switch {
	case what == None || size > searchedSize:
		return None
	case what != Whole:
		return Short
	case final && size == len(b):
		return Whole
	}
	switch next, _, _ := l.Look(b[size:]); next {
	case None:
		return None
	case Short:
		return Short
	}
	return Whole
}
