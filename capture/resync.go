package capture

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

// lookAhead searches from the record at hand, which is in doubt.
func lookAhead(w *window, check headerCheck) lookout {
	b := w.peek(resyncDistance)
	l := lookout{seen: len(b), distant: len(b) == resyncDistance}
	at, found := findRecords(b, !l.distant, check)
	l.goOn, l.found = w.offset+int64(at), found
	return l
}
