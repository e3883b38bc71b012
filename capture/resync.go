package capture

import "io"

// headerCheck tells from the bytes b up to the end of what can be seen whether a
// record may begin there and how long it is.
type headerCheck func(b []byte) (length int, ok bool)

// chainLength is how many records in a row are taken for no accident.
const chainLength = 3

// findRecords looks for the place where records begin again in b, which starts
// with a header that makes no sense. atEnd tells that nothing follows b: there
// a shorter chain will do if it ends with b.
func findRecords(b []byte, atEnd bool, check headerCheck) (at int, found bool) {
	for at = 1; at < len(b); at++ {
		if isChain(b[at:], atEnd, check) {
			return at, true
		}
	}
	return 0, false
}

func isChain(b []byte, atEnd bool, check headerCheck) bool {
	for count := 0; count < chainLength; count++ {
		if len(b) == 0 {
			return atEnd && count > 0
		}
		length, ok := check(b)
		if !ok || length > len(b) {
			return false
		}
		b = b[length:]
	}
	return true
}

// lookout is what a search for records came to.
type lookout struct {
	seen    int   // bytes looked at, from the header in doubt on
	distant bool  // the file has more than was looked at
	found   bool  // records begin again
	goOn    int64 // where, an offset in the stream
}

// suspect is a record in doubt, which begins at the window.
type suspect struct {
	w       *window
	log     *fileLog
	packets uint64 // before it
	check   headerCheck
	kind    string // what check finds: "packets", "blocks"
}

func (s suspect) lookAhead() lookout {
	b := s.w.peek(resyncDistance)
	l := lookout{seen: len(b), distant: len(b) == resyncDistance}
	at, found := findRecords(b, !l.distant, s.check)
	l.goOn, l.found = s.w.offset+int64(at), found
	return l
}

// breaks tells the garbage at the end of a file, which is a warning and io.EOF,
// from damage within it. what says why there is no record.
func (s suspect) breaks(what string) error {
	at, l := s.w.offset, s.lookAhead()
	switch {
	case l.found:
		return s.log.broken(s.packets, at, "the file is damaged: %s; %s begin again at byte %d", what, s.kind, l.goOn)
	case l.distant:
		return s.log.broken(s.packets, at, "the file is damaged: %s, and no %s begin in the %d bytes from there", what, s.kind, l.seen)
	}
	s.log.warn(s.packets, at, "the last %d bytes are left out: %s", l.seen, what)
	s.w.take(l.seen)
	return io.EOF
}

// cut is for a record that says size bytes where only there are left: an error
// if records begin again within them, as then it is the size that is wrong.
func (s suspect) cut(there, size int) error {
	at, l := s.w.offset, s.lookAhead()
	if !l.found {
		return nil
	}
	return s.log.broken(s.packets, at, "the file is damaged: a length of %d bytes where %d bytes are left; %s begin again at byte %d",
		size, there, s.kind, l.goOn)
}
